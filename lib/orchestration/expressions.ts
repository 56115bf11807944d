/**
 * The JSONata that more than one state needs, built from the same numbers and names that TypeScript reads. A test
 * evaluates each expression and compares it with the TypeScript function that computes the same.
 */
import { ErrorName } from '../../domain/workflow/error-names';
import { COMMAND_POLLING, type Polling } from '../../domain/workflow/polling';

/** Marks the whole value of a field as one expression. */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

/** An object with the same fields as another one: each is an expression that contains its name. */
export function fromEach(fields: readonly string[], expressionOf: (field: string) => string): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, jsonata(expressionOf(field))]));
}

/** Same as `pairId` of the identifiers; `pairIndex` is an expression. */
export function pairIdExpression(pairIndex: string): string {
  return `("p" & $formatInteger(${pairIndex} + 1, "0000"))`;
}

/** Seconds since `since`, a variable with Unix milliseconds. */
export function elapsedSecondsExpression(since: string): string {
  return `(($millis() - ${since}) / 1000)`;
}

/** Same as `secondsUntilNextCommandPoll`. */
export function commandPauseExpression(elapsedSeconds: string, expectedSeconds: string): string {
  const { opening, firstMinute, middle, expectedEnd, overdue } = COMMAND_POLLING;
  return (
    `($elapsed := ${elapsedSeconds}; $expected := ${expectedSeconds}; ` +
    `$untilDense := $expected - ${expectedEnd.fromSecondsBefore} - $elapsed; ` +
    `$pause := $elapsed < ${firstMinute.untilSeconds} ? ${firstMinute.pauseSeconds} : ${middle.pauseSeconds}; ` +
    `$elapsed < ${opening.untilSeconds} ? ${opening.pauseSeconds} : ` +
    `$elapsed >= $expected + ${expectedEnd.untilSecondsAfter} ? ${overdue.pauseSeconds} : ` +
    `$untilDense <= 0 ? ${expectedEnd.pauseSeconds} : ` +
    `$max([1, $min([$pause, $ceil($untilDense)])]))`
  );
}

/** Same as `secondsUntilNextPoll`. */
export function pauseExpression(polling: Polling, elapsedSeconds: string): string {
  const steps = polling.map(({ untilSeconds, pauseSeconds }) =>
    untilSeconds === Infinity ? String(pauseSeconds) : `$elapsed < ${untilSeconds} ? ${pauseSeconds} : `,
  );
  return `($elapsed := ${elapsedSeconds}; ${steps.join('')})`;
}

/** Names that handlers give to their own errors, whose messages say all that a reader needs. */
const OWN_ERROR_NAMES = JSON.stringify(Object.values(ErrorName));

/**
 * Name and message of a caught error: the handler's own message if a handler threw it, else the service's text. A cause
 * that was cut to its 32,768 characters is no JSON any more, and is taken as it is.
 */
export const CAUGHT_ERROR =
  '($cause := $string($states.errorOutput.Cause); $cause := $exists($cause) ? $cause : ""; ' +
  '$message := $substring($cause, 0, 1) = "{" and $substring($cause, -1) = "}" and ' +
  '$contains($cause, "\\"errorMessage\\":") ? ' +
  '$parse($cause).errorMessage : $cause; ' +
  '$message = "" ? $states.errorOutput.Error : ' +
  `$states.errorOutput.Error in ${OWN_ERROR_NAMES} ? $message : $states.errorOutput.Error & ": " & $message)`;

/** How the agent begins its report of a document whose process on the host was killed, for example for its memory. */
const WORKER_DIED = 'document process failed unexpectedly';

/**
 * Why a command failed on one host, from an invocation that ListCommandInvocations returns with details. A document's
 * last line of output is JSON whose `reason` quotes the tool. The service cuts a step's output at 2,500 characters and
 * appends the error output, so this searches for the reason, not for the last line. Without a reason, the agent may
 * have its own. If it was gone or killed the script, only the service's status details are left, and their sentence is
 * taken.
 */
export function invocationFailureExpression(invocation: string): string {
  return (
    `($invocation := ${invocation}; ` +
    `$output := $join([$invocation.CommandPlugins.Output], "\\n"); ` +
    // Each escape is an iteration of its own, and what is between two escapes is one: the engine of Step Functions
    // recurses once per iteration, and overflowed its stack when each character was one.
    `$reasons := [$match($output, /"reason"\\s*:\\s*"([^\\\\"]*(?:\\\\.[^\\\\"]*)*)"/).groups[0]][$ != ""]; ` +
    `$count($reasons) > 0 ? ` +
    `$replace($replace($reasons[-1], "\\\\\\"", "\\""), "\\\\\\\\", "\\\\") : ` +
    `$contains($output, "${WORKER_DIED}") ? $output : ${commandStatusExpression('$invocation.StatusDetails')})`
  );
}

/** `client i-0123` or `server i-0456`. */
export function hostNameExpression(instanceId: string): string {
  return `((${instanceId} = $pair.clientInstanceId ? "client " : "server ") & ${instanceId})`;
}

/**
 * A sentence per instance of a DescribeInstances answer that neither runs nor is about to. EC2 gives a reason for a host
 * that died by itself, for example because it must not use the key of its encrypted volume.
 */
export function lostHostsExpression(reservations: string): string {
  return (
    `[${reservations}.Instances[$not(State.Name in ["pending", "running"])].` +
    `("host " & ${hostNameExpression('InstanceId')} & " is no longer running (" & State.Name & ` +
    '($exists(StateReason.Message) ? ": " & StateReason.Message : "") & ")")]'
  );
}

/** Both hosts of the pair, in the form that the APIs take. */
export const PAIR_INSTANCE_IDS = '[$pair.clientInstanceId, $pair.serverInstanceId]';

/** What the status details of a command's invocation mean to people. */

/** How long the agent may take to fetch a command. It asks all the time, so an agent that takes longer is gone. */
export const DELIVERY_TIMEOUT_SECONDS = 60;

/**
 * A sentence for each way in which Systems Manager ends an invocation without success: those of `StatusDetails` in the
 * API's model, and those that only the guide has, without the blanks that the documentation puts into the names
 * (https://docs.aws.amazon.com/systems-manager/latest/userguide/monitor-commands.html).
 */
export const COMMAND_STATUS_SENTENCES = {
  DeliveryTimedOut: `the SSM agent did not fetch the command within ${DELIVERY_TIMEOUT_SECONDS} s`,
  ExecutionTimedOut: 'the command had not ended by its time limit, and the SSM agent stopped it',
  Failed: 'the command failed without giving a reason',
  Cancelled: 'the command was cancelled',
  Undeliverable:
    'Systems Manager could not deliver the command: the host does not exist or its SSM agent does not respond',
  Terminated: 'Systems Manager gave up the command after errors on other hosts',
  InvalidPlatform: "the command's document is not for the operating system of the host",
  AccessDenied: 'Systems Manager was not permitted to run the command on the host',
  RateExceeded: "the command was cancelled before it began: the account's limit of pending commands was exceeded",
} as const;

/** The sentence for the status details that an expression gives; a status that is not in the list is quoted. */
function commandStatusExpression(statusDetails: string): string {
  return (
    `($status := ${statusDetails}; ` +
    `$sentence := $lookup(${JSON.stringify(COMMAND_STATUS_SENTENCES)}, $replace($status, " ", "")); ` +
    '$exists($sentence) ? $sentence & " (" & $status & ")" : ' +
    '"Systems Manager ended the command with the status " & $status & ", and no reason was given")'
  );
}
