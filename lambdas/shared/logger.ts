/** One JSON line per decision, with `runId`, `measurementId` and `stage` as keys, so that CloudWatch can filter a run. */
import { Logger } from '@aws-lambda-powertools/logger';

/** Logs one decision. */
export type Log = (message: string, keys?: Readonly<Record<string, unknown>>) => void;

/** @param stage the handler's verb-noun, e.g. `launch-pair` */
export function createLogger(stage: string): Log {
  const logger = new Logger({ serviceName: 'network-benchmark', persistentKeys: { stage } });
  return (message, keys = {}) => {
    logger.info(message, keys);
  };
}
