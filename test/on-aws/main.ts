/** `npm run prove`: puts the claims of docs/on-aws.md to the test in an account. */
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { printable } from '../../domain/text/printable';
import { errorText } from '../../lambdas/errors/aws-errors';
import { account } from './account';
import { readOptions, USAGE, UsageError } from './options';
import { prove } from './prove';

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.isHelp) {
      console.log(USAGE);
      return 0;
    }
    // The SDK reads it with the first call.
    if (options.profile !== undefined) process.env.AWS_PROFILE = options.profile;
    return await prove(options, {
      account,
      ask,
      print: (line) => {
        console.log(line);
      },
      now: () => new Date(),
      sleep: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      signal: interruption(),
    });
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) {
      console.error(`prove: ${printable(errorText(thrown))}`);
      return 2;
    }
    console.error(`prove: ${printable(thrown.message)}\n\n${USAGE}`);
    return 2;
  }
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('--yes: must be given if standard input is not a terminal');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      console.error('prove: interrupted; removing what the checks made');
      controller.abort();
    });
  }
  return controller.signal;
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
