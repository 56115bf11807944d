/** The whole of `npm run prove`: price, consent, walk, removal, table. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { columnTable } from '../../domain/text/text-table';
import { printable } from '../../domain/text/printable';
import { readStack, type Account } from './account';
import { Interrupted, type Check } from './check';
import { findLacks } from './lacks';
import type { Options } from './options';
import { priceOfRun, totalOf } from './price';
import { removeRuns } from './removal';
import { Runs } from './runs';
import { leftOpen, proofMarkdown, section, tally, type Proof } from './table';
import { isProven, walk, type CheckRow } from './walk';

export interface ProveDependencies {
  readonly account: Account;
  readonly ask: (question: string) => Promise<boolean>;
  readonly print: (line: string) => void;
  readonly now: () => Date;
  readonly sleep: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** @returns the exit code */
export async function prove(options: Options, deps: ProveDependencies): Promise<number> {
  const { checks, elsewhere } = options;
  const unanswerable = elsewhere?.unanswerable ?? new Map<string, string>();
  const { account, print, now, signal } = deps;
  const asked = checks.filter(({ id }) => !unanswerable.has(id));
  print(priceTable(asked));
  const price = totalOf(asked, priceOfRun);
  const maxCostUsd = options.maxCostUsd ?? price.upperUsd;
  print(
    `\n${asked.length} checks of the stack ${options.stack}: ${usd(price.expectedUsd)} expected, ${usd(price.upperUsd)} at ` +
      `most, limit ${usd(maxCostUsd)} (list prices in us-east-1); about ${price.minutes} minutes on AWS.`,
  );
  if (options.isList) return 0;
  const stack = await readStack(account, options.stack);
  const lacks = await findLacks(account, asked, now());
  for (const line of section('This account lacks', lacks.words)) print(line);
  if (lacks.isFatal) return 2;
  if (!options.isAgreed && !(await deps.ask(`Make them in the account of ${stack.runStateMachineArn}?`))) {
    print('nothing was asked');
    return 2;
  }

  const startedAt = now();
  const wait = async (seconds: number) => {
    await deps.sleep(seconds, signal).catch(() => undefined);
    if (signal.aborted) throw new Interrupted('interrupted');
  };
  const idPrefix = `proof-${startedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  const runs = new Runs({ account, stack, idPrefix, maxCostUsd, wait, now, say: print });
  const rows = await walk({
    checks,
    context: { account, stack, runs, wait },
    unanswerable,
    unlaunchable: lacks.unlaunchable,
    upperUsdOfRun: (name) => priceOfRun(name).upperUsd,
    maxCostUsd,
    isInterrupted: () => signal.aborted,
    now: () => now().getTime(),
    report: (row) => {
      print(rowLine(row));
    },
  });
  const left = await removeRuns({ account, stack, wait: (seconds) => deps.sleep(seconds), say: print }, runs.ids);
  print(tally(rows));
  const open = leftOpen(rows);
  for (const line of section('Not asked', open.notAsked)) print(line);
  for (const line of section('README says, and this does not show', open.claimsNotShown)) print(line);
  print(left.length === 0 ? 'nothing is left of what the checks made' : `still there: ${left.join('; ')}`);
  const made = checks.filter(({ id }) => rows.some((row) => row.id === id && row.verdict !== 'unanswered'));
  const proof: Proof = {
    schema: 'network-benchmark.proof.v1',
    version,
    stack: stack.name,
    account: stack.account,
    region: stack.region,
    place: elsewhere?.place,
    startedAt: startedAt.toISOString(),
    endedAt: now().toISOString(),
    maxCostUsd,
    upperUsd: totalOf(made, priceOfRun).upperUsd,
    checks: rows,
    lacks: lacks.words,
    ...open,
    left,
  };
  for (const [name, text] of [
    ['proof.md', proofMarkdown(proof)],
    ['proof.json', `${JSON.stringify(proof, null, 2)}\n`],
  ] as const) {
    writeFileSync(join(options.output, name), text);
    print(`wrote ${join(options.output, name)}`);
  }
  if (signal.aborted) return 130;
  return isProven(rows) && left.length === 0 ? 0 : 1;
}

function priceTable(checks: readonly Check[]): string {
  return columnTable(
    [
      { heading: 'check', cell: ({ id }: Check) => id },
      { heading: 'run', cell: ({ run }) => run },
      {
        heading: 'USD expected',
        alignRight: true,
        cell: (check) => totalOf([check], priceOfRun).expectedUsd.toFixed(2),
      },
      { heading: 'at most', alignRight: true, cell: (check) => totalOf([check], priceOfRun).upperUsd.toFixed(2) },
      { heading: 'minutes', alignRight: true, cell: (check) => String(totalOf([check], priceOfRun).minutes) },
      { heading: 'claim', cell: ({ title }) => title },
    ],
    checks,
  );
}

function rowLine({ id, verdict, evidence, seconds }: CheckRow): string {
  return printable(`${verdict.replace('_', ' ').padEnd(10)}  ${id} (${seconds} s): ${evidence}`);
}

function usd(value: number): string {
  return `${value.toFixed(2)} USD`;
}
