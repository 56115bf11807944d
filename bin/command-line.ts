/** What the commands have in common: how wide they print, and what they say of options and of files. */
import { getSystemErrorMap } from 'node:util';
import { errorMessage } from '../lambdas/errors/aws-errors';

const USUAL_WIDTH = 80;

/**
 * How wide a table may be: what `COLUMNS` says, or else the terminal.
 * @returns undefined where the output goes to a file or another program: tables then have all columns
 */
export function terminalWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
  { COLUMNS }: Readonly<Record<string, string | undefined>> = process.env,
): number | undefined {
  const asked = Number(COLUMNS ?? '');
  if (Number.isInteger(asked) && asked > 0) return asked;
  if (!isTTY) return undefined;
  return columns > 0 ? columns : USUAL_WIDTH;
}

/**
 * What a command says of a command line that `parseArgs` rejects. Node's message about an unknown option explains how to pass it as
 * an argument, and names no option that there is.
 *
 * @param options those of the command
 */
export function optionProblem(thrown: unknown, options: Readonly<Record<string, unknown>>): string {
  if (!(thrown instanceof TypeError)) throw thrown;
  const unknown = /^Unknown option '([^']*)'/.exec(thrown.message)?.[1];
  if (unknown === undefined) return thrown.message;
  const allowed = Object.keys(options).map((name) => `--${name}`);
  return `unknown option ${JSON.stringify(unknown)}; allowed: ${allowed.join(', ')}`;
}

/** Whether a folder was named where a file must be. */
export function isOfFolder(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR';
}

/** `no such file or directory`: the system's words without Node's code and system call. */
export function fileError(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}
