/**
 * Samples of a single raw chunk, for the rows that Athena sees while the measurement runs. Chunks arrive in any order,
 * twice or not at all, so nothing here looks beyond the chunk. The final samples come from the whole streams.
 */
import type { ToolInterval } from '../parsers/tool-output';
import { TOOL_MODULES } from '../tools/catalogue';
import { counterSamples, throughputFromCounters } from '../assembly/counter-samples';
import type { Metric, Sample } from '../model/sample';
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import { seriesSamples } from '../assembly/throughput-samples';

/** The report interval is fixed, because a chunk may hold only the short last interval, which does not show it. */
const REPORT_SECONDS = 1;

/** A sender's own series is `sent_throughput`, because the other host's chunks have the receiver's series. */
export function sampleLines(header: ChunkHeader, lines: readonly RawLine[]): Sample[] {
  const module = TOOL_MODULES.find((each) => each.name === header.tool);
  const printed = module?.printedSeries?.(header, lines);
  const intervals = printed?.intervals ?? [];
  const originSeconds = printed === undefined ? header.startedAtSeconds : printed.originSeconds;
  const direction = intervals[0]?.direction ?? 'forward';
  const counters =
    originSeconds === undefined
      ? []
      : counterSamples(lines, header.hostRole, { direction, originSeconds, fromSeconds: 0 });
  return [
    ...seriesSamples(intervals, header.hostRole, liveMetric, REPORT_SECONDS),
    ...countedThroughput(header, lines, module?.countedDirection?.(header)),
    ...counters,
  ];
}

/** Of a tool that prints no series, what its host's interface carries, headers included. */
function countedThroughput(
  header: ChunkHeader,
  lines: readonly RawLine[],
  direction: 'forward' | 'reverse' | undefined,
): Sample[] {
  if (direction === undefined) return [];
  const span = { direction, originSeconds: header.startedAtSeconds, fromSeconds: 0 };
  return throughputFromCounters({ header, lines }, span, direction === 'forward' ? 'sent' : 'received');
}

function liveMetric(interval: ToolInterval): Metric | undefined {
  if (interval.side === 'receiver') return interval.stream === 'sum' ? 'throughput' : 'stream_throughput';
  return interval.stream === 'sum' ? 'sent_throughput' : undefined;
}
