/** Builds links into the AWS console, which open for anyone who is signed in to the account. */
import type { RunLinks } from './contracts';
import { INDEX_KEY, reportKey } from './object-keys';

/** The console of each AWS partition, by the prefix of its Region names. */
const CONSOLES: readonly (readonly [regionPrefix: string, host: string])[] = [
  ['cn-', 'console.amazonaws.cn'],
  ['us-gov-', 'console.amazonaws-us-gov.com'],
  ['', 'console.aws.amazon.com'],
];

/** Returns the link to an object in the S3 console, where the button "Open" shows its content. */
export function consoleLink(region: string, bucketName: string, key: string): string {
  return `https://${hostOf(region)}/s3/object/${bucketName}?region=${region}&prefix=${encodeURIComponent(key)}`;
}

/** Returns the link to a run's execution in the Step Functions console. */
export function executionLink(region: string, stateMachineArn: string, runId: string): string {
  const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${runId}`;
  return `https://${hostOf(region)}/states/home?region=${region}#/v2/executions/details/${arn}`;
}

function hostOf(region: string): string {
  const [, host] = CONSOLES.find(([prefix]) => region.startsWith(prefix)) ?? [];
  if (host === undefined) throw new Error(`region: must have a console, got ${JSON.stringify(region)}`);
  return `${region}.${host}`;
}

export function runLinks(region: string, bucketName: string, runId: string): RunLinks {
  return {
    reportConsole: consoleLink(region, bucketName, reportKey(runId)),
    indexConsole: consoleLink(region, bucketName, INDEX_KEY),
  };
}
