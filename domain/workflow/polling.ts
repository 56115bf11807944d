/**
 * How often the state machines look, and what looking costs: an execution's history holds 25,000 events, and an
 * execution that reaches them is ended without a Catch, which here means without a teardown. plan-run refuses a pair
 * whose history could exceed `HISTORY_EVENT_BUDGET`; `lib/orchestration` waits by the same numbers.
 */

/** Far enough below the service's 25,000 for retries, which are not counted here. */
export const HISTORY_EVENT_BUDGET = 15_000;

/** One row per stretch of a command's life; the first whose `untilSeconds` lies ahead gives the pause. */
export const COMMAND_POLLING = {
  /** A missing tool or a refused parameter shows at once, and so does a server that listens. */
  opening: { untilSeconds: 5, pauseSeconds: 1 },
  firstMinute: { untilSeconds: 60, pauseSeconds: 10 },
  middle: { pauseSeconds: 45 },
  /** Around the expected end. */
  expectedEnd: { fromSecondsBefore: 3, untilSecondsAfter: 12, pauseSeconds: 2 },
  overdue: { pauseSeconds: 30 },
} as const;

/** Dense at first, then rarer: the first step whose `untilSeconds` lies ahead gives the pause, else the last. */
export type Polling = readonly { readonly untilSeconds: number; readonly pauseSeconds: number }[];

/** Waiting for hosts to register, and for hosts to be gone: seconds in the lab, a minute or two on EC2. */
export const HOST_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: 120, pauseSeconds: 5 },
  { untilSeconds: Infinity, pauseSeconds: 15 },
];

/** Waiting for a load balancer to come and, later, to be gone: minutes on EC2. */
export const DATA_PATH_POLLING: Polling = [
  { untilSeconds: 10, pauseSeconds: 1 },
  { untilSeconds: Infinity, pauseSeconds: 15 },
];

export const HOSTS_ONLINE_DEADLINE_SECONDS = 600;
/** From the request of a load balancer to its first healthy target. */
export const CONNECT_DEADLINE_SECONDS = 900;
/** A load balancer's interface stays for minutes after it, and its security group as long. */
export const DISCONNECT_DEADLINE_SECONDS = 900;
export const TEAR_DOWN_DEADLINE_SECONDS = 900;

/**
 * The pause before the next look at a command that runs for `elapsedSeconds`: never past the start of the dense
 * stretch around the expected end.
 */
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
  return polling.find(({ untilSeconds }) => elapsedSeconds < untilSeconds)!.pauseSeconds;
}

/** Entered, scheduled, started, succeeded, exited. */
const TASK_EVENTS = 5;
/** Entered, exited: Choice, Wait, Pass. */
const STEP_EVENTS = 2;
/** Two look-ups, two decisions, one wait. */
const POLL_EVENTS = 2 * TASK_EVENTS + 3 * STEP_EVENTS;
/** A handler's call, a decision, a wait. */
const DATA_PATH_POLL_EVENTS = TASK_EVENTS + 2 * STEP_EVENTS;
/** Retried: scheduled, started, failed. */
const RETRY_EVENTS = 3;

/** As `HostCommand` has it. */
interface TimedCommand {
  readonly expectedSeconds: number;
  readonly deadlineSeconds: number;
}

/** Looks at a command that lasts until its deadline. Each look is taken to last no time, which counts more of them. */
export function commandPollCount(command: TimedCommand): number {
  let polls = 1;
  for (let elapsed = 0; elapsed < command.deadlineSeconds; polls += 1) {
    elapsed += secondsUntilNextCommandPoll(elapsed, command.expectedSeconds);
  }
  return polls;
}

function pollCount(polling: Polling, deadlineSeconds: number): number {
  let polls = 1;
  for (let elapsed = 0; elapsed < deadlineSeconds; polls += 1) elapsed += secondsUntilNextPoll(polling, elapsed);
  return polls;
}

function commandEvents(command: TimedCommand): number {
  return TASK_EVENTS + commandPollCount(command) * POLL_EVENTS;
}

/** Choosing the measurement, two cancelled commands, a wait, two analyses with every retry, and the bookkeeping. */
const MEASUREMENT_EVENTS = 4 * TASK_EVENTS + 20 * RETRY_EVENTS + 6 * STEP_EVENTS;
/** Launching, the placement group, the beginnings of connecting and disconnecting, the outcome. */
const PAIR_EVENTS = 8 * TASK_EVENTS + 14 * STEP_EVENTS;

/** The most events that a pair's execution can come to when every wait lasts until its deadline. */
export function pairHistoryEvents(
  prepare: TimedCommand,
  measurements: readonly { readonly serve?: TimedCommand; readonly measure: TimedCommand }[],
): number {
  const waiting =
    pollCount(HOST_POLLING, HOSTS_ONLINE_DEADLINE_SECONDS) + pollCount(HOST_POLLING, TEAR_DOWN_DEADLINE_SECONDS);
  const connecting =
    pollCount(DATA_PATH_POLLING, CONNECT_DEADLINE_SECONDS) + pollCount(DATA_PATH_POLLING, DISCONNECT_DEADLINE_SECONDS);
  const measuring = measurements.map(
    ({ serve, measure }) =>
      (serve === undefined ? 0 : commandEvents(serve)) + commandEvents(measure) + MEASUREMENT_EVENTS,
  );
  return (
    PAIR_EVENTS +
    waiting * POLL_EVENTS +
    connecting * DATA_PATH_POLL_EVENTS +
    commandEvents(prepare) +
    measuring.reduce((sum, events) => sum + events, 0)
  );
}
