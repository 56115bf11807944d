/**
 * A run of which the store has nothing was either stopped before it stored anything, and lacks a summary, or somebody has
 * removed it, and nothing may bring it back. Its execution tells which: plan-run stores the plan before its task
 * succeeds, and the only other task of a run that launches nothing, the summary of a refusal, stores the summary.
 */
import type { RunInventory } from './finder';

export interface RemovedRunsDependencies {
  readonly runStateMachineArn: string;
  readonly hasSucceededTask: (stateMachineArn: string, name: string) => Promise<boolean>;
}

/** Whether a run whose execution exists had stored something, of which nothing is there any more. */
export async function wasRemoved(
  { hasSucceededTask, runStateMachineArn }: RemovedRunsDependencies,
  runId: string,
  { isEmpty }: Pick<RunInventory, 'isEmpty'>,
): Promise<boolean> {
  return isEmpty && (await hasSucceededTask(runStateMachineArn, runId));
}
