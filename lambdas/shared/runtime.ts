/** What every handler begins with: the variables of its environment, read once at cold start, and its log. */
import { Logger } from '@aws-lambda-powertools/logger';

/** @throws when the stack has not set the variable */
export function requireEnv(name: string): string {
  const value = process.env[name]?.trim() ?? '';
  if (value === '') {
    throw new Error(`environment variable ${name}: must be set, got ${JSON.stringify(process.env[name] ?? null)}`);
  }
  return value;
}

/** Reads a comma-separated list, which may be empty but must be set. */
export function requireEnvListOrNone(name: string): string[] {
  const value = process.env[name];
  if (value === undefined) throw new Error(`environment variable ${name}: must be set, got nothing`);
  return value === '' ? [] : value.split(',');
}

/** Logs one decision as a line of JSON, with `runId` and the like as keys, so that CloudWatch can filter a run. */
export type Log = (message: string, keys?: Readonly<Record<string, unknown>>) => void;

/** @param stage the handler's verb-noun, e.g. `launch-pair` */
export function createLogger(stage: string): Log {
  const logger = new Logger({ serviceName: 'network-benchmark', persistentKeys: { stage } });
  return (message, keys = {}) => {
    logger.info(message, keys);
  };
}
