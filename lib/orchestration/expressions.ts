/**
 * The JSONata that more than one state needs, built from the numbers and names that TypeScript reads too. Each
 * expression is evaluated by a test beside the function it mirrors.
 */
import { COMMAND_POLLING, type Polling } from '../../domain/workflow/polling';

/** A whole field of a state as one expression. */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

/** `pairId(pairIndex)` of the identifiers, for an expression that gives the index. */
export function pairIdExpression(pairIndex: string): string {
  return `("p" & $formatInteger(${pairIndex} + 1, "0000"))`;
}

/** Seconds since `since`, a variable with Unix milliseconds. */
export function elapsedSecondsExpression(since: string): string {
  return `(($millis() - ${since}) / 1000)`;
}

/** `secondsUntilNextCommandPoll`. */
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

/** `secondsUntilNextPoll`. */
export function pauseExpression(polling: Polling, elapsedSeconds: string): string {
  const steps = polling.map(({ untilSeconds, pauseSeconds }) =>
    untilSeconds === Infinity ? String(pauseSeconds) : `$elapsed < ${untilSeconds} ? ${pauseSeconds} : `,
  );
  return `($elapsed := ${elapsedSeconds}; ${steps.join('')})`;
}

/** What a caught error says: a handler's own message where a handler threw, else the service's words. */
export const CAUGHT_ERROR =
  '($cause := $string($states.errorOutput.Cause); $cause := $exists($cause) ? $cause : ""; ' +
  '$message := $substring($cause, 0, 1) = "{" and $contains($cause, "\\"errorMessage\\":") ? $parse($cause).errorMessage : $cause; ' +
  '$states.errorOutput.Error & ($message = "" ? "" : ": " & $message))';

/**
 * What an invocation of ListCommandInvocations (with details) says of its failure. A document's last line is JSON with
 * the tool's own words as its `reason`; the service cuts a step's output at 2,500 characters and puts the error output
 * behind it, so the reason is looked for and not the line. Without one (the agent was gone, or killed the script) the
 * service's words are all there is.
 */
export function invocationFailureExpression(invocation: string): string {
  return (
    `($invocation := ${invocation}; ` +
    `$output := $join([$invocation.CommandPlugins.Output], "\\n"); ` +
    `$reasons := [$match($output, /"reason"\\s*:\\s*"((\\\\.|[^\\\\"])+)"/).groups[0]]; ` +
    `$count($reasons) > 0 ? $replace($replace($reasons[-1], "\\\\\\"", "\\""), "\\\\\\\\", "\\\\") : $invocation.StatusDetails)`
  );
}

/** `client i-0123` or `server i-0456`. */
export function hostNameExpression(instanceId: string): string {
  return `((${instanceId} = $pair.clientInstanceId ? "client " : "server ") & ${instanceId})`;
}

/** Both hosts of the pair, as the APIs take them. */
export const PAIR_INSTANCE_IDS = '[$pair.clientInstanceId, $pair.serverInstanceId]';
