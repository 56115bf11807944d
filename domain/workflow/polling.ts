/**
 * How often the state machines poll, and how many history events that takes. Step Functions aborts an execution whose
 * history reaches 25,000 events without running a Catch, and so without a teardown. plan-run therefore rejects a pair
 * whose history could exceed `HISTORY_EVENT_BUDGET`. The waits of `lib/orchestration` use the same numbers.
 */
import { sum } from '../maths/statistics';
import type { HostDeadlines } from '../model/planned-run';
import type { HostCommand } from './contracts';

/** Leaves room below the limit of 25,000 for retries, which are not counted here. */
export const HISTORY_EVENT_BUDGET = 15_000;

/** The pause between two polls of a command, by the command's phase. */
export const COMMAND_POLLING = {
  /** A missing tool, a rejected parameter and a server that is ready all show within the first seconds. */
  opening: { untilSeconds: 5, pauseSeconds: 1 },
  firstMinute: { untilSeconds: 60, pauseSeconds: 10 },
  middle: { pauseSeconds: 45 },
  /** Around the expected end. */
  expectedEnd: { fromSecondsBefore: 3, untilSecondsAfter: 12, pauseSeconds: 2 },
  overdue: { pauseSeconds: 30 },
} as const;

/** Steps in time: the pause is that of the first step whose `untilSeconds` has not passed. The last step has no end. */
export type Polling = readonly { readonly untilSeconds: number; readonly pauseSeconds: number }[];

/** Until hosts have registered, and until they are gone: a minute or two on EC2, but far longer for bare metal. */
export const HOST_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: 120, pauseSeconds: 5 },
  { untilSeconds: 900, pauseSeconds: 15 },
  { untilSeconds: Infinity, pauseSeconds: 30 },
];

/** Until a load balancer is ready, and later until it is gone: minutes on EC2. */
export const DATA_PATH_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: Infinity, pauseSeconds: 15 },
];

const VIRTUAL_HOST_DEADLINES: HostDeadlines = { onlineDeadlineSeconds: 600, tearDownDeadlineSeconds: 900 };
/**
 * Twice what users have reported: starts of over 20 minutes (pycloudlib, pull request 192), stops of over 19 minutes
 * (packer-plugin-amazon, issue 682).
 */
const BARE_METAL_DEADLINES: HostDeadlines = { onlineDeadlineSeconds: 2_700, tearDownDeadlineSeconds: 2_700 };

/** @param hasBareMetal whether at least one of the hosts is bare metal */
export function hostDeadlines(hasBareMetal: boolean): HostDeadlines {
  return hasBareMetal ? BARE_METAL_DEADLINES : VIRTUAL_HOST_DEADLINES;
}

/** From the creation of a load balancer to its first healthy target. */
export const CONNECT_DEADLINE_SECONDS = 900;
/** The network interface of a deleted load balancer remains for minutes, and with it the security group. */
export const DISCONNECT_DEADLINE_SECONDS = 900;

/** The pause before the next poll of a command, at most until the dense polling around the expected end begins. */
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

/** Entered, scheduled, started, succeeded, exited. */
const TASK_EVENTS = 5;
/** Entered, exited: Choice, Wait, Pass. */
const STEP_EVENTS = 2;
/** Two API calls, two decisions, one wait. */
const POLL_EVENTS = 2 * TASK_EVENTS + 3 * STEP_EVENTS;
/** One handler, one decision, one wait. */
const DATA_PATH_POLL_EVENTS = TASK_EVENTS + 2 * STEP_EVENTS;
/** Per retry: scheduled, started, failed. */
const RETRY_EVENTS = 3;

type TimedCommand = Pick<HostCommand, 'expectedSeconds' | 'deadlineSeconds'>;

/** How often a command that lasts until its deadline is polled. */
export function commandPollCount({ expectedSeconds, deadlineSeconds }: TimedCommand): number {
  return pollCount(deadlineSeconds, (elapsed) => secondsUntilNextCommandPoll(elapsed, expectedSeconds));
}

/** Polls are assumed to take no time, which gives their largest number. */
function pollCount(deadlineSeconds: number, pauseAfter: (elapsedSeconds: number) => number): number {
  let polls = 1;
  for (let elapsed = 0; elapsed < deadlineSeconds; polls += 1) elapsed += pauseAfter(elapsed);
  return polls;
}

function commandEvents(command: TimedCommand): number {
  return TASK_EVENTS + commandPollCount(command) * POLL_EVENTS;
}

/** The choice of the measurement, two cancelled commands, a wait, two analyses with all retries, and bookkeeping. */
const MEASUREMENT_EVENTS = 4 * TASK_EVENTS + 20 * RETRY_EVENTS + 6 * STEP_EVENTS;
/** The launch, the placement group, the first calls of connecting and disconnecting, and the outcome. */
const PAIR_EVENTS = 8 * TASK_EVENTS + 14 * STEP_EVENTS;

/** The number of events of a pair's execution in which every wait lasts until its deadline. */
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
