/** What a check is: one claim about the service that only an account can confirm, and how it is put to the test. */
import type { Account, DeployedStack } from './account';
import type { RunName } from './run-plans';
import type { Runs } from './runs';

/** What a check found. Every check has answers of both kinds, so that it can fail. */
export interface Finding {
  readonly proven: boolean;
  /** The call whose answer shows it, as `service Operation argument`. */
  readonly call: string;
  /** What the call answered, in one line. */
  readonly evidence: string;
}

export interface CheckContext {
  readonly account: Account;
  readonly stack: DeployedStack;
  readonly runs: Runs;
  /** @throws Interrupted as soon as the user interrupts */
  readonly wait: (seconds: number) => Promise<void>;
}

export interface Check {
  /** Lower case with hyphens; `--checks` takes it. */
  readonly id: string;
  /** The claim, as a sentence without a full stop. */
  readonly title: string;
  /** What it is for, and why only an account can tell. */
  readonly matters: string;
  /** The answer that proves it; every other answer means `not proven`. */
  readonly provenBy: string;
  /** The run that it looks at; checks of the same run share it, and it is paid for once. */
  readonly run?: RunName;
  /** Further runs that it looks at. */
  readonly alsoRuns?: readonly RunName[];
  /** What it costs at most on top of its runs, in US dollars. */
  readonly ownUsd?: number;
  /** How long it takes on top of its runs, about. */
  readonly ownMinutes?: number;
  /** It takes long or costs more than cents, and is made only when it is named. */
  readonly isOptional?: boolean;
  /** Shell commands that look at the same thing by hand. */
  readonly byHand: string;
  readonly look: (context: CheckContext) => Promise<Finding>;
}

/** The user pressed Ctrl-C, or the process was told to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

// Parts of the shell commands that several checks show for looking by hand.

/** Starts a run and waits until it measures. */
export const startAndWait = (runId: string, plan: string, seconds: number) =>
  `arn=$(start ${runId} examples/plans/${plan}.json); sleep ${seconds}`;

export const STATUS = 'aws stepfunctions describe-execution --execution-arn "$arn" --query \'[status,error,cause]\'';

/** Prints the lines of an object of the result bucket from one with a text on, as far as they are about it. */
export const linesOf = (key: string, text: string, count = 1) =>
  `aws s3api get-object --bucket "$(out BucketName)" --key ${key} object.txt --query ETag; grep -A${count} '${text}' object.txt || true`;
