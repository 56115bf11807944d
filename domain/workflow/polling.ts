/**
 * How often the state machines poll, and how many history events that takes. Step Functions aborts an execution at
 * 25,000 events without running a Catch, so hosts would not be torn down. plan-run therefore rejects a pair whose
 * history could exceed `HISTORY_EVENT_BUDGET`. The waits of `lib/orchestration` use the same numbers.
 */
import { sum } from '../maths/statistics';
import type { HostDeadlines } from '../model/planned-run';
import type { HostCommand } from './contracts';

/** Leaves room below the limit of 25,000 for retries, which are not counted here. */
export const HISTORY_EVENT_BUDGET = 15_000;

/** The pause between two polls of a command, by the command's phase. */
export const COMMAND_POLLING = {
  /** Errors such as a missing tool, and the readiness of a server, show within the first seconds. */
  opening: { untilSeconds: 5, pauseSeconds: 1 },
  firstMinute: { untilSeconds: 60, pauseSeconds: 10 },
  middle: { pauseSeconds: 45 },
  expectedEnd: { fromSecondsBefore: 3, untilSecondsAfter: 12, pauseSeconds: 2 },
  overdue: { pauseSeconds: 30 },
} as const;

/** The pause between polls is that of the first step whose `untilSeconds` has not passed. The last step never ends. */
export type Polling = readonly { readonly untilSeconds: number; readonly pauseSeconds: number }[];

/** Used until hosts have registered or terminated: 1 to 2 minutes on EC2, far longer for bare metal. */
export const HOST_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: 120, pauseSeconds: 5 },
  { untilSeconds: 900, pauseSeconds: 15 },
  { untilSeconds: Infinity, pauseSeconds: 30 },
];

/** Used until a load balancer is ready, and until it is deleted, which takes minutes on EC2. */
export const DATA_PATH_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: Infinity, pauseSeconds: 15 },
];

const VIRTUAL_HOST_DEADLINES: HostDeadlines = { onlineDeadlineSeconds: 600, tearDownDeadlineSeconds: 900 };
/**
 * Twice the times that users have reported: starts of over 20 minutes (pycloudlib, pull request 192) and stops of over
 * 19 minutes (packer-plugin-amazon, issue 682).
 */
const BARE_METAL_DEADLINES: HostDeadlines = { onlineDeadlineSeconds: 2_700, tearDownDeadlineSeconds: 2_700 };

/** @param hasBareMetal whether at least one of the hosts is bare metal */
export function hostDeadlines(hasBareMetal: boolean): HostDeadlines {
  return hasBareMetal ? BARE_METAL_DEADLINES : VIRTUAL_HOST_DEADLINES;
}

/** From the creation of a load balancer to its first healthy target. */
export const CONNECT_DEADLINE_SECONDS = 900;
/** The network interface of a deleted load balancer remains for minutes and keeps its security group in use. */
export const DISCONNECT_DEADLINE_SECONDS = 900;

/** Returns the pause before the next poll, at most until frequent polling around the expected end begins. */
export function secondsUntilNextCommandPoll(elapsedSeconds: number, expectedSeconds: number): number {
  const { opening, firstMinute, middle, expectedEnd, overdue } = COMMAND_POLLING;
  if (elapsedSeconds < opening.untilSeconds) return opening.pauseSeconds;
  if (elapsedSeconds >= expectedSeconds + expectedEnd.untilSecondsAfter) return overdue.pauseSeconds;
  const untilDense = expectedSeconds - expectedEnd.fromSecondsBefore - elapsedSeconds;
  if (untilDense <= 0) return expectedEnd.pauseSeconds;
  const pauseSeconds = elapsedSeconds < firstMinute.untilSeconds ? firstMinute.pauseSeconds : middle.pauseSeconds;
  return Math.max(1, Math.min(pauseSeconds, Math.ceil(untilDense)));
}

export function secondsUntilNextPoll(polling: Polling, elapsedSeconds: number): number {
  const step = polling.find(({ untilSeconds }) => elapsedSeconds < untilSeconds);
  if (step === undefined) throw new Error(`polling: must have a step for ${elapsedSeconds} s, has none`);
  return step.pauseSeconds;
}

/** History events of a Task state: entered, scheduled, started, succeeded, exited. */
const TASK_EVENTS = 5;
/** History events of a Choice, Wait or Pass state: entered, exited. */
const STEP_EVENTS = 2;
/** A poll of hosts or of a command has two API calls, two choices and one wait. */
const POLL_EVENTS = 2 * TASK_EVENTS + 3 * STEP_EVENTS;
/** A poll of the data path has one handler, one choice and one wait. */
const DATA_PATH_POLL_EVENTS = TASK_EVENTS + 2 * STEP_EVENTS;
/** History events of a retry: scheduled, started, failed. */
const RETRY_EVENTS = 3;

type TimedCommand = Pick<HostCommand, 'expectedSeconds' | 'deadlineSeconds'>;

/** Returns how often a command is polled that runs until its deadline. */
export function commandPollCount({ expectedSeconds, deadlineSeconds }: TimedCommand): number {
  return pollCount(deadlineSeconds, (elapsed) => secondsUntilNextCommandPoll(elapsed, expectedSeconds));
}

/** Counts polls as if each took no time, which gives the largest number. */
function pollCount(deadlineSeconds: number, pauseAfter: (elapsedSeconds: number) => number): number {
  let polls = 1;
  for (let elapsed = 0; elapsed < deadlineSeconds; polls += 1) elapsed += pauseAfter(elapsed);
  return polls;
}

function commandEvents(command: TimedCommand): number {
  return TASK_EVENTS + commandPollCount(command) * POLL_EVENTS;
}

/** A measurement has a choice, two cancelled commands, a wait, two analyses with all retries, and bookkeeping. */
const MEASUREMENT_EVENTS = 4 * TASK_EVENTS + 20 * RETRY_EVENTS + 6 * STEP_EVENTS;
/** A pair has the launch, the placement group, the first calls of connect-pair and disconnect-pair, and the outcome. */
const PAIR_EVENTS = 8 * TASK_EVENTS + 14 * STEP_EVENTS;

/** Returns the history events of a pair's execution in the worst case: every wait lasts until its deadline. */
export function pairHistoryEvents(
  { onlineDeadlineSeconds, tearDownDeadlineSeconds }: HostDeadlines,
  prepare: TimedCommand,
  measurements: readonly { readonly serve?: TimedCommand; readonly measure: TimedCommand }[],
  probe: TimedCommand | null = null,
): number {
  const pollsOf = (polling: Polling, ...deadlines: readonly number[]) =>
    sum(deadlines.map((deadline) => pollCount(deadline, (elapsed) => secondsUntilNextPoll(polling, elapsed))));
  const waiting = pollsOf(HOST_POLLING, onlineDeadlineSeconds, tearDownDeadlineSeconds) * POLL_EVENTS;
  const connecting =
    pollsOf(DATA_PATH_POLLING, CONNECT_DEADLINE_SECONDS, DISCONNECT_DEADLINE_SECONDS) * DATA_PATH_POLL_EVENTS;
  const probing = probe === null ? 0 : commandEvents(probe) + TASK_EVENTS;
  const measuring = measurements.flatMap(({ serve, measure }) => [
    MEASUREMENT_EVENTS,
    ...[serve, measure].filter((command) => command !== undefined).map(commandEvents),
  ]);
  return PAIR_EVENTS + waiting + connecting + commandEvents(prepare) + probing + sum(measuring);
}
