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
export function commandStatusExpression(statusDetails: string): string {
  return (
    `($status := ${statusDetails}; ` +
    `$sentence := $lookup(${JSON.stringify(COMMAND_STATUS_SENTENCES)}, $replace($status, " ", "")); ` +
    '$exists($sentence) ? $sentence & " (" & $status & ")" : ' +
    '"Systems Manager ended the command with the status " & $status & ", and no reason was given")'
  );
}
