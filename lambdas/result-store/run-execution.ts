/**
 * Of which execution a run in the store is. A run has the name of its execution, and Step Functions gives a name again
 * 90 days after the execution that had it has ended. Without this, the later execution would launch hosts that expired
 * long ago, and would take what the earlier one measured for its own.
 *
 * | what the store has of the run                              | the run is                              |
 * | ---------------------------------------------------------- | --------------------------------------- |
 * | nothing                                                    | this execution's, from now on           |
 * | `execution.json` with the time at which this one began     | this execution's: called again, redrive |
 * | `execution.json` with an earlier time                      | an earlier one's                        |
 * | anything else, such as rows of a run of which somebody has | an earlier one's                        |
 * | removed the documents                                      |                                         |
 */
import { RunIdTakenError } from '../../domain/workflow/error-names';
import {
  executionKey,
  measurementSamplesPrefix,
  reportPrefix,
  rowPartsPrefix,
} from '../../domain/workflow/object-keys';
import type { ListableBucket, ReadableBucket, WritableBucket } from '../adapters/s3';
import { decodeDocument, encodeJson, JSON_TYPE } from './encoding';
import type { RunInventory } from './reader';

export type RunExecutionFinder = ReturnType<typeof runExecutionFinder>;
export type RunClaims = ReturnType<typeof runClaims>;

type FoundIn = Pick<ReadableBucket, 'getObject'> & Pick<ListableBucket, 'listObjects'>;

interface RunExecution {
  readonly schema: 'network-benchmark.execution.v1';
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** Step Functions gives the time to its states and to its callers, possibly rounded in different ways. */
const ROUNDING_MILLISECONDS = 1000;

export function runExecutionFinder(bucket: FoundIn) {
  return {
    /** @returns when the earlier execution began whose run the store has under this name; undefined for no such run */
    findEarlierRun: async (runId: string, startedAt: string): Promise<string | undefined> => {
      const beganAt = await beginningOf(bucket, runId);
      return beganAt !== undefined && isBefore(beganAt, startedAt) ? beganAt : undefined;
    },
  };
}

export function runClaims(bucket: FoundIn & Pick<WritableBucket, 'putObjectOnce'>) {
  return {
    /**
     * Makes the run that of the execution which began then; repeating it changes nothing.
     * @throws `RunIdTakenError` when it is an earlier execution's
     */
    claimRun: async (runId: string, startedAt: string): Promise<void> => {
      const beganAt = await beginningOf(bucket, runId);
      const isTaken = beganAt === undefined ? await hasAnything(bucket, runId) : isBefore(beganAt, startedAt);
      if (isTaken) throw new RunIdTakenError(runId, beganAt);
      const claim: RunExecution = { schema: 'network-benchmark.execution.v1', runId, startedAt };
      await bucket.putObjectOnce(executionKey(runId), encodeJson(claim), JSON_TYPE);
    },
  };
}

function isBefore(beganAt: string, startedAt: string): boolean {
  return Date.parse(beganAt) < Date.parse(startedAt) - ROUNDING_MILLISECONDS;
}

/** When the run began that the store has; undefined where it has none, or one that doesn't say so. */
async function beginningOf({ getObject, listObjects }: FoundIn, runId: string): Promise<string | undefined> {
  const key = executionKey(runId);
  if (!(await listObjects(key)).includes(key)) return undefined;
  return decodeDocument<RunExecution>(key, await getObject(key), 'network-benchmark.execution.v1').startedAt;
}

async function hasAnything({ listObjects }: FoundIn, runId: string): Promise<boolean> {
  const prefixes = [reportPrefix, rowPartsPrefix, measurementSamplesPrefix].map((prefix) => prefix(runId));
  const found = await Promise.all(prefixes.map(listObjects));
  return found.some((keys) => keys.length > 0);
}

export interface RemovedRunsDependencies {
  readonly runStateMachineArn: string;
  readonly hasSucceededTask: (stateMachineArn: string, name: string) => Promise<boolean>;
}

/**
 * Whether a run whose execution exists had stored something, of which nothing is there any more. Either it was stopped
 * before it stored anything, and lacks a summary, or somebody has removed it, and nothing may bring it back. Its execution
 * tells which: plan-run stores the plan before its task succeeds, and the only other task of a run that launches nothing,
 * the summary of a refusal, stores the summary.
 */
export async function wasRemoved(
  { hasSucceededTask, runStateMachineArn }: RemovedRunsDependencies,
  runId: string,
  { isEmpty }: Pick<RunInventory, 'isEmpty'>,
): Promise<boolean> {
  return isEmpty && (await hasSucceededTask(runStateMachineArn, runId));
}
