/**
 * JSONata expressions that more than one state needs, built from the same numbers and names as the TypeScript code. A
 * test compares each expression with the TypeScript function that computes the same.
 */
import { ErrorName } from '../../domain/workflow/error-names';
import { COMMAND_POLLING, type Polling } from '../../domain/workflow/polling';

/** Makes the whole value of a field one JSONata expression. */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

/** Builds an object with the given fields, each of which is an expression that contains the field's name. */
export function fromEach(fields: readonly string[], expressionOf: (field: string) => string): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, jsonata(expressionOf(field))]));
}

/** The expression computes the same as `pairIdAt`; `pairIndex` is itself an expression. */
export function pairIdExpression(pairIndex: string): string {
  return `("p" & $formatInteger(${pairIndex} + 1, "0000"))`;
}

/** An expression for the seconds since `since`, a variable in Unix milliseconds. */
export function elapsedSecondsExpression(since: string): string {
  return `(($millis() - ${since}) / 1000)`;
}

/** The expression computes the same as `secondsUntilNextCommandPoll`. */
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

/** The expression computes the same as `secondsUntilNextPoll`. */
export function pauseExpression(polling: Polling, elapsedSeconds: string): string {
  const steps = polling.map(({ untilSeconds, pauseSeconds }) =>
    untilSeconds === Infinity ? String(pauseSeconds) : `$elapsed < ${untilSeconds} ? ${pauseSeconds} : `,
  );
  return `($elapsed := ${elapsedSeconds}; ${steps.join('')})`;
}

/** The names of the handlers' own errors, whose messages need no error name beside them. */
const OWN_ERROR_NAMES = Object.values(ErrorName);

/**
 * An expression for name and message of an error as a Catch has it: the handler's message if a handler threw the error,
 * otherwise the service's text. A cause that was cut at 32,768 characters is not valid JSON and is used as it is.
 * @param ownErrorNames expression for the list of the handlers' own errors
 */
const errorText = (ownErrorNames: string, error: string) =>
  // Each Catch has a copy, so the names are short: $e is the error, $c its cause or an empty text, $m the message.
  `($e:=${error};$c:=$e.Cause&"";` +
  '$m:=$substring($c,0,1)="{" and $substring($c,-1)="}" and $contains($c,"\\"errorMessage\\":")?' +
  '$parse($c).errorMessage:$c;' +
  `$m=""?$e.Error:$e.Error in ${ownErrorNames}?$m:$e.Error&": "&$m)`;

/** For states that may be the first of their machine, before which nothing can be assigned. */
export const CAUGHT_ERROR = errorText(JSON.stringify(OWN_ERROR_NAMES), '$states.errorOutput');
/**
 * For the states of a pair, whose definition would be long with the names in each of them: `PAIR_WORDS` has them once.
 * @param error expression for the error, if it was caught by an earlier state
 */
export const pairErrorText = (error = '$states.errorOutput') => errorText('$ownErrorNames', error);

/** How the agent begins its report if a document's process on the host was killed, for example for lack of memory. */
const WORKER_DIED = 'document process failed unexpectedly';

/**
 * Why a command failed on one host, from an invocation that ListCommandInvocations returns with details. A document's
 * last line of output is JSON with a `reason` that quotes the tool. The service cuts a step's output at 2,500
 * characters and appends the error output, so this searches for the reason instead of the last line. Without a reason
 * it uses the agent's report, or else the sentence for the service's status details.
 */
export function invocationFailureExpression(invocation: string): string {
  return (
    `($invocation := ${invocation}; ` +
    `$output := $join([$invocation.CommandPlugins.Output], "\\n"); ` +
    // Each escape is one iteration, and so is all text between two escapes. The engine of Step Functions recurses once
    // per iteration, and overflowed its stack when each character was one.
    `$reasons := [$match($output, /"reason"\\s*:\\s*"([^\\\\"]*(?:\\\\.[^\\\\"]*)*)"/).groups[0]][$ != ""]; ` +
    `$count($reasons) > 0 ? ` +
    `$replace($replace($reasons[-1], "\\\\\\"", "\\""), "\\\\\\\\", "\\\\") : ` +
    `$contains($output, "${WORKER_DIED}") ? $output : ${commandStatusExpression('$invocation.StatusDetails')})`
  );
}

/** An expression that names a host by role and id, for example `client i-0123` or `server i-0456`. */
export function hostNameExpression(instanceId: string): string {
  return `((${instanceId} = $pair.clientInstanceId ? "client " : "server ") & ${instanceId})`;
}

/**
 * A sentence for each instance of a DescribeInstances response that is neither running nor pending. EC2 gives a reason
 * for a host that died by itself, for example because it must not use the key of its encrypted volume.
 */
export function lostHostsExpression(reservations: string): string {
  return (
    `[${reservations}.Instances[$not(State.Name in ["pending", "running"])].` +
    `("host " & ${hostNameExpression('InstanceId')} & " is no longer running (" & State.Name & ` +
    '($exists(StateReason.Message) ? ": " & StateReason.Message : "") & ")")]'
  );
}

/** The instance ids of both hosts, in the form that the APIs take. */
export const PAIR_INSTANCE_IDS = '[$pair.clientInstanceId, $pair.serverInstanceId]';

/** How long the agent may take to fetch a command. Agents poll continuously, so one that takes longer is gone. */
export const DELIVERY_TIMEOUT_SECONDS = 60;

/**
 * A sentence for each way in which Systems Manager ends an invocation without success. The names are those of
 * `StatusDetails` in the API's model and of the guide, without the blanks in the documented names
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

/** The variables of a pair's execution that its expressions take words from. */
export const PAIR_WORDS = { ownErrorNames: OWN_ERROR_NAMES, statusSentences: COMMAND_STATUS_SENTENCES } as const;

/** Looks up the sentence for the status details that an expression gives; an unlisted status is quoted. */
function commandStatusExpression(statusDetails: string): string {
  return (
    `($status := ${statusDetails}; ` +
    '$sentence := $lookup($statusSentences, $replace($status, " ", "")); ' +
    '$exists($sentence) ? $sentence & " (" & $status & ")" : ' +
    '"Systems Manager ended the command with the status " & $status & ", and no reason was given")'
  );
}
