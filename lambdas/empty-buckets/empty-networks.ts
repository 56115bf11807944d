/**
 * Removes what GuardDuty has put into the stack's networks: its endpoint and security group belong to no stack, and
 * CloudFormation can't delete a subnet or VPC that has them
 * (https://docs.aws.amazon.com/guardduty/latest/ug/using-iac-with-gdu-automated-agents-runtime-monitoring.html).
 */
import type { Log } from '../shared/runtime';

export interface NetworkContents {
  readonly guardDutyEndpointIds: (vpcIds: readonly string[]) => Promise<readonly string[]>;
  readonly guardDutyGroupIds: (vpcIds: readonly string[]) => Promise<readonly string[]>;
  readonly deleteEndpoints: (endpointIds: readonly string[]) => Promise<void>;
  /** @returns false while a network interface uses the group */
  readonly deleteSecurityGroup: (groupId: string) => Promise<boolean>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const PAUSE_MILLIS = 5_000;
/** EC2 deletes an endpoint within minutes. The function has 15 of them, and must be able to answer after that. */
const MOST_PAUSES = 150;

export async function emptyNetworks(vpcIds: readonly string[], log: Log, network: NetworkContents): Promise<void> {
  if (vpcIds.length === 0) return;
  const endpointIds = await network.guardDutyEndpointIds(vpcIds);
  if (endpointIds.length > 0) await network.deleteEndpoints(endpointIds);
  const waitFor = async (what: string, isGone: () => Promise<boolean>) => {
    for (let pauses = 0; !(await isGone()); pauses += 1) {
      if (pauses === MOST_PAUSES) throw new Error(`${what} of GuardDuty: must be gone by now, is still there`);
      await network.sleep(PAUSE_MILLIS);
    }
  };
  await waitFor(endpointIds.join(', '), async () => (await network.guardDutyEndpointIds(vpcIds)).length === 0);
  // A group can be deleted once the endpoint's network interfaces are gone.
  const groupIds = await network.guardDutyGroupIds(vpcIds);
  for (const groupId of groupIds) await waitFor(groupId, () => network.deleteSecurityGroup(groupId));
  if (endpointIds.length + groupIds.length > 0) log('networks are empty', { endpointIds, groupIds });
}
