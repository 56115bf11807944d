/** The command line of `npm run prove`. */
import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { optionProblem } from '../../bin/command-line';
import { errorMessage } from '../../lambdas/errors/aws-errors';
import { CHECKS } from './checks/index';
import type { Check } from './check';

export const USAGE = `usage: npm run prove -- [--profile P] [--stack NAME] [options]
       npm run prove -- --lab [options]      the same in the lab, without an account

Puts the claims of docs/on-aws.md to the test in an account that has the stack, prints the price first and asks, removes
what it made, and writes a table of what is proven.
--profile P           the profile of the AWS CLI's configuration
--stack NAME          the deployed stack (NetworkBenchmark)
--checks ID,ID        only these checks; without it, all except those that take long
--max-cost-usd N      makes no check with which the price could exceed N US dollars; without it, what is agreed to
--cannot-answer FILE  JSON {"place": "where this runs", "checks": {"id": "why"}}: what can't be answered there
--output FOLDER       where proof.md and proof.json are written (.)
--list                prints the checks with their prices and ends
--yes                 does not ask
Exit code: 0 when everything that was asked is proven and nothing is left, 1 when not, 2 when nothing was asked, 130 when
interrupted.`;

export interface Options {
  readonly profile?: string;
  readonly stack: string;
  readonly checks: readonly Check[];
  /** @default the price at most of the checks */
  readonly maxCostUsd?: number;
  /** Where this runs instead of an account of AWS, and why which checks can't be answered there. */
  readonly elsewhere?: Elsewhere;
  readonly output: string;
  readonly isList: boolean;
  readonly isAgreed: boolean;
  readonly isHelp: boolean;
}

export interface Elsewhere {
  readonly place: string;
  /** The reason by the check's id. */
  readonly unanswerable: ReadonlyMap<string, string>;
}

/** A command line that can't be carried out; the message is for the user. */
export class UsageError extends Error {}

export function readOptions(args: readonly string[]): Options {
  const values = parsedValues(args);
  return {
    profile: values.profile,
    stack: values.stack ?? 'NetworkBenchmark',
    checks: chosenChecks(values.checks),
    maxCostUsd: readLimit(values['max-cost-usd']),
    elsewhere: values['cannot-answer'] === undefined ? undefined : readElsewhere(values['cannot-answer']),
    output: readFolder(values.output ?? '.'),
    isList: values.list ?? false,
    isAgreed: values.yes ?? false,
    isHelp: values.help ?? false,
  };
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = {
  profile: TEXT,
  stack: TEXT,
  checks: TEXT,
  'max-cost-usd': TEXT,
  'cannot-answer': TEXT,
  output: TEXT,
  list: FLAG,
  yes: FLAG,
  help: { ...FLAG, short: 'h' },
} as const;

function parsedValues(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (thrown) {
    throw new UsageError(optionProblem(thrown, OPTIONS));
  }
}

function chosenChecks(given: string | undefined): readonly Check[] {
  if (given === undefined) return CHECKS.filter(({ isOptional }) => isOptional !== true);
  const ids = given.split(',').map((id) => id.trim());
  const unknown = ids.filter((id) => CHECKS.every((check) => check.id !== id));
  if (unknown.length > 0) throw new UsageError(`--checks: must be of ${allIds()}, got ${unknown.join(', ')}`);
  return CHECKS.filter(({ id }) => ids.includes(id));
}

function allIds(): string {
  return CHECKS.map(({ id }) => id).join(', ');
}

function readLimit(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const limit = Number(given);
  if (given.trim() !== '' && Number.isFinite(limit) && limit >= 0) return limit;
  throw new UsageError(`--max-cost-usd: must be a number of US dollars from 0, got ${JSON.stringify(given)}`);
}

/** It is looked at first, because the table would be lost if it could not be written at the end. */
function readFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--output: must be a folder, got ${JSON.stringify(path)}`);
}

const elsewhereFile = z.object({ place: z.string().min(1), checks: z.record(z.string(), z.string().min(1)) });

function readElsewhere(path: string): Elsewhere {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`--cannot-answer ${path}: ${errorMessage(thrown)}`);
  }
  const { data, error } = elsewhereFile.safeParse(content);
  if (error)
    throw new UsageError(
      `--cannot-answer ${path}: must be {"place": "where", "checks": {"id": "why"}}: ${error.message}`,
    );
  const unanswerable = new Map(Object.entries(data.checks));
  const unknown = [...unanswerable.keys()].filter((id) => CHECKS.every((check) => check.id !== id));
  if (unknown.length > 0) {
    throw new UsageError(`--cannot-answer ${path}: checks: must be of ${allIds()}, got ${unknown.join(', ')}`);
  }
  return { place: data.place, unanswerable };
}
