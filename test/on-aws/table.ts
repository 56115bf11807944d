/** The result of a walk: as JSON for programs, as Markdown for people. */
import { CHECKS } from './checks/index';
import { claimsNotShown } from './claims';
import type { CheckRow } from './walk';

export interface Proof {
  readonly schema: 'network-benchmark.proof.v1';
  /** Of this project. */
  readonly version: string;
  readonly stack: string;
  readonly account: string;
  readonly region: string;
  /** Where the checks were made if that was no account of AWS. */
  readonly place?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly maxCostUsd: number;
  /** What the checks that were made could cost at most. */
  readonly upperUsd: number;
  readonly checks: readonly CheckRow[];
  /** What the account lacked at the start, in words. */
  readonly lacks: readonly string[];
  /** Each check that was not made, and why. */
  readonly notAsked: readonly string[];
  /** Each claim of README that this proof does not show, and what it lacks. */
  readonly claimsNotShown: readonly string[];
  /** In words, what could not be removed; empty when nothing is left. */
  readonly left: readonly string[];
}

const VERDICT_WORDS = { proven: 'proven', not_proven: '**not proven**', unanswered: "can't be answered here" } as const;

export function proofMarkdown(proof: Proof): string {
  const { stack, account, region, place, startedAt, endedAt, upperUsd, maxCostUsd, checks, left, lacks } = proof;
  const rows = checks.map(({ id, title, verdict, call, evidence, seconds }) =>
    [`\`${id}\``, title, VERDICT_WORDS[verdict], call, evidence, String(seconds)].map(cell).join(' | '),
  );
  const usd = `at most ${upperUsd.toFixed(2)} USD of the limit of ${maxCostUsd.toFixed(2)} USD`;
  return [
    place === undefined
      ? `# What is proven of ${stack} in account ${account}, ${region}`
      : `# What is proven of ${stack} in ${place}`,
    '',
    ...(place === undefined ? [] : ['**This is no proof about AWS**: no account was asked, and nothing was paid.', '']),
    `${tally(checks)}, from ${startedAt} to ${endedAt}; ${place === undefined ? usd : `on AWS, ${usd}`}.`,
    '',
    left.length === 0 ? 'Nothing is left of what the checks made.' : `**Still there**: ${left.join('; ')}`,
    '',
    '| check | claim | verdict | call | evidence | s |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    ...section('What the account lacked', lacks),
    ...section('What was not asked', proof.notAsked),
    ...section('What README says and this does not show', proof.claimsNotShown),
  ].join('\n');
}

/** A heading with a list; nothing where the list is empty. */
export function section(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`## ${heading}`, '', ...items.map((item) => `- ${item}`), ''];
}

/** What a walk leaves open, check by check and claim by claim. */
export function leftOpen(rows: readonly CheckRow[]): Pick<Proof, 'notAsked' | 'claimsNotShown'> {
  const unmade = CHECKS.filter(({ id }) => rows.every((row) => row.id !== id));
  const unanswered = rows.filter(({ verdict }) => verdict === 'unanswered');
  return {
    notAsked: [
      ...unanswered.map(({ id, evidence }) => `${id}: ${evidence}`),
      ...unmade.map(({ id, isOptional }) => `${id}: ${isOptional === true ? 'made by name only' : 'not chosen'}`),
    ],
    claimsNotShown: claimsNotShown(rows),
  };
}

/** How many checks have which answer. */
export function tally(checks: readonly CheckRow[]): string {
  const count = (verdict: CheckRow['verdict']) => checks.filter((row) => row.verdict === verdict).length;
  return `${count('proven')} proven, ${count('not_proven')} not proven, ${count('unanswered')} not answered`;
}

/** A cell of a Markdown table: one line without a bar. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
