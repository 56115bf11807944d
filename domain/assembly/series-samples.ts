/** Samples of a series that a tool printed, one per second. */
import type { ToolInterval } from '../parsers/tool-output';
import type { HostRole } from '../model/host-role';
import type { Metric, Sample } from '../model/sample';
import { secondCells, type GridCell } from '../series/second-grid';

/** @param metricOf undefined leaves the interval out. */
export function seriesSamples(
  intervals: readonly ToolInterval[],
  hostRole: HostRole,
  metricOf: (interval: ToolInterval) => Metric | undefined,
  reportSeconds?: number,
): Sample[] {
  const series = new Map<string, { metric: Metric; intervals: ToolInterval[] }>();
  for (const interval of intervals) {
    const metric = metricOf(interval);
    if (metric === undefined) continue;
    const key = `${metric} ${interval.direction} ${interval.stream}`;
    const group = series.get(key);
    if (group) group.intervals.push(interval);
    else series.set(key, { metric, intervals: [interval] });
  }
  return [...series.values()].flatMap(({ metric, intervals: ofSeries }) =>
    secondCells(ofSeries, reportSeconds).map((cell) => sampleOf(cell, metric, hostRole, ofSeries[0]!)),
  );
}

function sampleOf(cell: GridCell<ToolInterval>, metric: Metric, hostRole: HostRole, series: ToolInterval): Sample {
  const total = (value: (interval: ToolInterval) => number | undefined) => {
    const numbers = cell.counted.map(value).filter((number) => number !== undefined);
    return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
  };
  const last = cell.counted.at(-1);
  const optional = {
    retransmits: total((interval) => interval.retransmits),
    congestionWindowBytes: last?.congestionWindowBytes,
    lostPackets: total((interval) => interval.lostPackets),
    sentPackets: total((interval) => interval.packets),
    jitterMicros: last?.jitterMicros,
  };
  return {
    metric,
    hostRole,
    direction: series.direction,
    stream: series.stream,
    startSeconds: cell.startSeconds,
    lengthSeconds: cell.lengthSeconds,
    throughputBitsPerSecond: cell.bitsPerSecond,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
