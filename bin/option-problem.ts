/** What a command says of a command line that `parseArgs` rejects. */

/**
 * Node's message about an unknown option explains how to pass it as an argument, and names no option that there is.
 * @param options those of the command
 */
export function optionProblem(thrown: unknown, options: Readonly<Record<string, unknown>>): string {
  if (!(thrown instanceof TypeError)) throw thrown;
  const unknown = /^Unknown option '([^']*)'/.exec(thrown.message)?.[1];
  if (unknown === undefined) return thrown.message;
  const allowed = Object.keys(options).map((name) => `--${name}`);
  return `unknown option ${JSON.stringify(unknown)}; allowed: ${allowed.join(', ')}`;
}
