/** Offline analysis of one result file, from the file alone. */
import { parseToolOutputs } from '../tools/parse-tool-output';
import { judgeMeasurement } from './judge-measurement';
import { assembleOutput } from '../assembly/assemble-measurement';
import type { MetricKind } from '../model/settings';
import { throughputOf, type Statistics } from '../model/statistics';
import type { Verdict } from '../model/verdict';
import type { ToolOutput } from '../parsers/tool-output';
import type { ThroughputEvidence } from '../verdict/evidence';
import { judgeThroughput } from '../verdict/judge';

export interface AnalysedOutput {
  readonly tool: string;
  readonly kind: MetricKind;
  /** The version of the tool; null if the file does not show it. */
  readonly toolVersion: string | null;
  readonly complete: boolean;
  readonly statistics: Statistics;
  /** null for a latency measurement, and if no throughput was measured. */
  readonly verdict: Verdict | null;
  /** If both directions were driven at once, the verdict on the direction that `verdict` is not about. */
  readonly otherDirection?: Verdict;
  readonly warnings: readonly string[];
}

/**
 * @returns one analysis for each tool whose output the text holds, in the order of their first lines
 * @throws ToolOutputError for a text that no parser knows
 */
export function analyseOutputs(text: string, known: KnownHosts = {}): readonly [AnalysedOutput, ...AnalysedOutput[]] {
  const [first, ...others] = parseToolOutputs(text);
  return [analyse(first, known), ...others.map((output) => analyse(output, known))];
}

/** What the caller knows about the hosts, because a file names none. */
export type KnownHosts = Pick<ThroughputEvidence, 'sender' | 'receiver' | 'publishedTypes'>;

function analyse(output: ToolOutput, { sender, receiver, publishedTypes }: KnownHosts): AnalysedOutput {
  const assembled = assembleOutput(output);
  const { complete, reason, statistics, toolVersion } = assembled;
  const { parallelStreams: flowCount, targetBitsPerSecond } = output.kind === 'throughput' ? output : {};
  const isReverse = output.kind === 'throughput' && output.reverse;
  const [clientType, serverType] = isReverse ? [receiver, sender] : [sender, receiver];
  const load = { flowCount, targetBitsPerSecond, truncated: !complete };
  const verdicts = judgeMeasurement(assembled, { ...load, clientType, serverType, publishedTypes });
  return {
    tool: output.tool,
    kind: output.kind,
    toolVersion: toolVersion ?? null,
    complete,
    statistics,
    verdict: verdicts.verdict ?? verdictWithoutSeries(output, statistics),
    otherDirection: verdicts.otherDirection ?? undefined,
    warnings: [...(reason === undefined ? [] : [`incomplete: ${reason}`]), ...assembled.warnings],
  };
}

/** The verdict `insufficient` if throughput was measured without a series to judge; null after a failure. */
function verdictWithoutSeries(output: ToolOutput, statistics: Statistics): Verdict | null {
  if (output.kind !== 'throughput') return null;
  if (throughputOf({ kind: output.kind, statistics })?.main.throughputBitsPerSecond === undefined) return null;
  const direction = output.reverse ? 'reverse' : 'forward';
  const verdict = judgeThroughput({ direction, series: [], truncated: !output.complete });
  return { ...verdict, explanation: 'only the total that arrived is known, and no series of it that could be judged' };
}
