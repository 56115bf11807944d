/** What the reaper works with, and on. */
import type { Execution } from '../adapters/sfn';
import type { Log } from '../shared/logger';
import type { PairRemovalDependencies } from '../shared/pair-removal';

export interface ReapRunDependencies extends PairRemovalDependencies {
  readonly stackName: string;
  readonly pairStateMachineArn: string;
  readonly runStateMachineArn: string;
  readonly analyseFunctionName: string;
  readonly summariseFunctionName: string;
  readonly listUnfinishedCommands: (instanceId: string) => Promise<string[]>;
  readonly cancelCommand: (commandId: string, instanceId: string) => Promise<void>;
  readonly listRunningExecutions: (stateMachineArn: string) => Promise<string[]>;
  readonly stopExecution: (stateMachineArn: string, name: string, error: string, cause: string) => Promise<void>;
  readonly describeExecution: (stateMachineArn: string, name: string) => Promise<Execution | undefined>;
  readonly invokeFunction: <T>(functionName: string, payload: unknown) => Promise<T>;
  readonly getObject: (key: string) => Promise<Uint8Array>;
  readonly listObjects: (prefix: string) => Promise<string[]>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Log;
}

/** An execution of ours that has ended, and what belongs to it. */
export interface EndedExecution {
  readonly execution: Execution;
  readonly runId: string;
  /** Absent when it is the whole run that ended. */
  readonly pairId?: string;
}
