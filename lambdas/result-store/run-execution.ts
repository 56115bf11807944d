/**
 * Decides to which execution a stored run belongs. A run has the name of its execution, and Step Functions allows the
 * same name again 90 days after the earlier execution has ended. Without this check the later execution would launch
 * hosts that are already expired, and would treat the earlier measurements as its own.
 *
 * | what the store has of the run                                    | the run belongs to                       |
 * | ---------------------------------------------------------------- | ---------------------------------------- |
 * | nothing                                                          | this execution, from now on              |
 * | `execution.json` with the start time of this execution           | this execution: called again or redriven |
 * | `execution.json` with an earlier time                            | an earlier execution                     |
 * | anything else, such as rows of a run whose documents are deleted | an earlier execution                     |
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
  /** When the execution started (ISO 8601, UTC). */
  readonly startedAt: string;
}

/** As many as S3 lists at once. `execution.json` is among the first of a run's documents. */
const MOST_DOCUMENTS = 1000;

/** States and callers of Step Functions may get the start time rounded in different ways. */
const ROUNDING_MILLISECONDS = 1000;

export function runExecutionFinder(bucket: FoundIn) {
  return {
    /** @returns when the earlier execution began that owns the stored run of this name; undefined if there is none */
    findEarlierRun: async (runId: string, startedAt: string): Promise<string | undefined> => {
      const beganAt = await beginningOf(bucket, runId);
      return beganAt !== undefined && isBefore(beganAt, startedAt) ? beganAt : undefined;
    },
  };
}

export function runClaims(bucket: FoundIn & Pick<WritableBucket, 'putObjectOnce'>) {
  return {
    /** Claims the run for the execution that started then. @throws `RunIdTakenError` if it belongs to an earlier one */
    claimRun: async (runId: string, startedAt: string): Promise<void> => {
      // One look, and not one for this document and another for all: a call of the same execution may write in between.
      const documents = await bucket.listObjects(reportPrefix(runId), MOST_DOCUMENTS);
      const beganAt = documents.includes(executionKey(runId)) ? await readBeginning(bucket, runId) : undefined;
      const isTaken =
        beganAt === undefined ? documents.length > 0 || (await hasRows(bucket, runId)) : isBefore(beganAt, startedAt);
      if (isTaken) throw new RunIdTakenError(runId, beganAt);
      const claim: RunExecution = { schema: 'network-benchmark.execution.v1', runId, startedAt };
      await bucket.putObjectOnce(executionKey(runId), encodeJson(claim), JSON_TYPE);
    },
  };
}

function isBefore(beganAt: string, startedAt: string): boolean {
  return Date.parse(beganAt) < Date.parse(startedAt) - ROUNDING_MILLISECONDS;
}

/** When the stored run began; undefined if there is no stored run or it does not say so. */
async function beginningOf(bucket: FoundIn, runId: string): Promise<string | undefined> {
  const key = executionKey(runId);
  return (await bucket.listObjects(key)).includes(key) ? readBeginning(bucket, runId) : undefined;
}

async function readBeginning({ getObject }: Pick<FoundIn, 'getObject'>, runId: string): Promise<string> {
  const key = executionKey(runId);
  return decodeDocument<RunExecution>(key, await getObject(key), 'network-benchmark.execution.v1').startedAt;
}

async function hasRows({ listObjects }: FoundIn, runId: string): Promise<boolean> {
  const prefixes = [rowPartsPrefix, measurementSamplesPrefix].map((prefix) => prefix(runId));
  const found = await Promise.all(prefixes.map((prefix) => listObjects(prefix)));
  return found.some((keys) => keys.length > 0);
}

export interface RemovedRunsDependencies {
  readonly runStateMachineArn: string;
  readonly hasSucceededTask: (stateMachineArn: string, name: string) => Promise<boolean>;
}

/**
 * Whether everything that a run had stored has since been deleted. A run with nothing in the store was either stopped
 * before it stored anything, or was deleted and must not be recreated. The history of its execution tells which: the
 * first task to succeed stores something, either the plan or the summary of a refusal.
 */
export async function wasRemoved(
  { hasSucceededTask, runStateMachineArn }: RemovedRunsDependencies,
  runId: string,
  { isEmpty }: Pick<RunInventory, 'isEmpty'>,
): Promise<boolean> {
  return isEmpty && (await hasSucceededTask(runStateMachineArn, runId));
}
