/** AWS Free Tier, whose one endpoint is in us-east-1. Its one call is signed here, without the SDK's client for it. */
import { EC2Client } from '@aws-sdk/client-ec2';
import { answered, withExpectedErrors } from './answers';
import { isPassing } from './passing-errors';

/** Signs this service's calls with the function's own credentials. */
const { config } = new EC2Client({});
const SIGNING = { name: 'sigv4', signingName: 'freetier', signingRegion: 'us-east-1', properties: {} };
/** The endpoint of all services, if the SDK's variable names one. */
const ENDPOINT = process.env.AWS_ENDPOINT_URL ?? 'https://freetier.us-east-1.api.aws';
const DEADLINE_MILLISECONDS = 10_000;
const ATTEMPTS = 3;

/**
 * `FREE` or `PAID`. Undefined if it is unknown: the service has no plan of some accounts, such as the members of an
 * organization, and a service control policy may deny the call.
 */
export function accountPlanType(): Promise<string | undefined> {
  return withExpectedErrors(repeatedWhilePassing(getAccountPlanState), {
    AccessDeniedException: undefined,
    ResourceNotFoundException: undefined,
  });
}

/** Repeats at once: a call that is not answered after all only leaves the plan unknown. */
async function repeatedWhilePassing<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
    }
  }
}

async function getAccountPlanState(): Promise<string> {
  const url = new URL(ENDPOINT);
  const body = '{}';
  const signer = await config.signer(SIGNING);
  const { method, headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: '/',
    headers: {
      host: url.host,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AWSFreeTierService.GetAccountPlanState',
    },
    body,
  });
  const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS);
  const response = await fetch(url, { method, headers, body, signal });
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text);
  const { accountPlanType: plan } = JSON.parse(text) as { accountPlanType?: string };
  return answered(plan, 'GetAccountPlanState.accountPlanType');
}

/** @param text the error of a service of JSON 1.0, e.g. `{"__type":"com.amazonaws.freetier#AccessDeniedException"}` */
function errorOf(status: number, text: string): Error {
  const [, name = `HTTP ${status}`] = /"__type":\s*"(?:[^"#]*#)?(\w+)"/.exec(text) ?? [];
  return Object.assign(new Error(text), { name, $metadata: { httpStatusCode: status } });
}
