/** The result of a walk: as JSON for programs, as Markdown for people. */
import type { CheckRow } from './walk';

export interface Proof {
  readonly schema: 'network-benchmark.proof.v1';
  readonly stack: string;
  readonly region: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly maxCostUsd: number;
  /** What the checks that were made could cost at most. */
  readonly upperUsd: number;
  readonly checks: readonly CheckRow[];
  /** In words, what could not be removed; empty when nothing is left. */
  readonly left: readonly string[];
}

const VERDICT_WORDS = { proven: 'proven', not_proven: '**not proven**', unanswered: "can't be answered here" } as const;

export function proofMarkdown(proof: Proof): string {
  const { stack, region, startedAt, endedAt, upperUsd, maxCostUsd, checks, left } = proof;
  const count = (verdict: CheckRow['verdict']) => checks.filter((row) => row.verdict === verdict).length;
  const rows = checks.map(({ id, title, verdict, call, evidence, seconds }) =>
    [`\`${id}\``, title, VERDICT_WORDS[verdict], call, evidence, String(seconds)].map(cell).join(' | '),
  );
  return [
    `# What is proven of ${stack} in ${region}`,
    '',
    `${count('proven')} proven, ${count('not_proven')} not proven, ${count('unanswered')} not answered, from ${startedAt} ` +
      `to ${endedAt}; at most ${upperUsd.toFixed(2)} USD of the limit of ${maxCostUsd.toFixed(2)} USD.`,
    '',
    left.length === 0 ? 'Nothing is left of what the checks made.' : `**Still there**: ${left.join('; ')}`,
    '',
    '| check | claim | verdict | call | evidence | s |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

/** A cell of a Markdown table: one line without a bar. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
