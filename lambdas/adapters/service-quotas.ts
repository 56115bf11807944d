/** Service Quotas: how many vCPUs may run at the same time. */
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { answered } from './answers';
import { REPEATED_BY_SDK } from './retries';

const client = new ServiceQuotasClient(REPEATED_BY_SDK);

/** @param code of a quota of EC2, e.g. `L-1216C47A` */
export async function getEc2Quota(code: string): Promise<number> {
  const { Quota } = await client.send(new GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode: code }));
  return answered(Quota?.Value, `value of quota ${code} of ec2`);
}
