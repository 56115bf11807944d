/** Shared by the commands: how they start, the width of their output, and their messages about options and files. */
import { getSystemErrorMap, parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';

const USUAL_WIDTH = 80;

/** Returns the width of tables: `COLUMNS` or the terminal's; undefined, for all columns, if output is redirected. */
export function terminalWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
  { COLUMNS }: Readonly<Record<string, string | undefined>> = process.env,
): number | undefined {
  const asked = Number(COLUMNS ?? '');
  if (Number.isInteger(asked) && asked > 0) return asked;
  if (!isTTY) return undefined;
  return columns > 0 ? columns : USUAL_WIDTH;
}

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

export type CommandLine<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

/** Prints why the command line is wrong. @returns exit code 2 */
export type Refuse = (reason: string, usage?: string) => 2;

interface Command<Options extends ParseArgsOptionsConfig> {
  readonly name: string;
  readonly usage: string;
  /** Without `--help`, which every command has. */
  readonly options: Options;
  /** Returns the exit code that the usage documents. */
  readonly run: (line: CommandLine<Options>, refuse: Refuse) => number | Promise<number>;
}

/** Runs a command with the arguments of the process, and sets its exit code: 0 after `--help`, 2 for a wrong option. */
export async function runCommand<const Options extends ParseArgsOptionsConfig>({
  name,
  usage,
  options,
  run,
}: Command<Options>): Promise<void> {
  const refuse: Refuse = (reason, shown) => {
    console.error([`${name}: ${printable(reason)}`, shown ?? []].flat().join('\n\n'));
    return 2;
  };
  const all = { ...options, ...HELP };
  let line;
  try {
    line = parseArgs({ options: all, allowPositionals: true });
  } catch (thrown) {
    process.exitCode = refuse(optionProblem(thrown, all), usage);
    return;
  }
  const { help }: { readonly help?: boolean } = line.values;
  if (help) console.log(usage);
  process.exitCode = help ? 0 : await run(line, refuse);
}

/**
 * Returns the message for a command line that `parseArgs` rejects. Node's message about an unknown option explains how
 * to pass it as an argument, and names none of the command's options.
 * @param options those of the command
 */
export function optionProblem(thrown: unknown, options: Readonly<Record<string, unknown>>): string {
  if (!(thrown instanceof TypeError)) throw thrown;
  const unknown = /^Unknown option '([^']*)'/.exec(thrown.message)?.[1];
  if (unknown === undefined) return thrown.message;
  const allowed = Object.keys(options).map((name) => `--${name}`);
  return `unknown option ${JSON.stringify(unknown)}; allowed: ${allowed.join(', ')}`;
}

export function isOfFolder(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR';
}

/** Returns the system's words without Node's code and system call: `no such file or directory`. */
export function fileError(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}
