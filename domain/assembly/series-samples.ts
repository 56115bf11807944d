/** Samples of a series that a tool printed, one per second. */
import { groupBy } from '../maths/elements';
import type { HostRole } from '../model/host-role';
import type { Metric, Sample } from '../model/sample';
import type { ToolInterval } from '../parsers/tool-output';
import { secondCells, type GridCell } from '../series/second-grid';

/** @param metricOf returns undefined for an interval that is to be omitted */
export function seriesSamples(
  intervals: readonly ToolInterval[],
  hostRole: HostRole,
  metricOf: (interval: ToolInterval) => Metric | undefined,
  reportSeconds?: number,
): Sample[] {
  const labelled = intervals.flatMap((interval) => {
    const metric = metricOf(interval);
    return metric === undefined ? [] : [{ metric, interval }];
  });
  const series = groupBy(labelled, ({ metric, interval }) => `${metric} ${interval.direction} ${interval.stream}`);
  return [...series.values()].flatMap((members) => {
    const [{ metric, interval }] = members;
    const { direction, stream } = interval;
    return secondCells(
      members.map((member) => member.interval),
      reportSeconds,
    ).map((cell) => ({ metric, hostRole, direction, stream, ...cellFigures(cell) }));
  });
}

function cellFigures({ startSeconds, lengthSeconds, bitsPerSecond, counted }: GridCell<ToolInterval>) {
  const total = (value: (interval: ToolInterval) => number | undefined) => {
    const numbers = counted.map(value).filter((number) => number !== undefined);
    return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
  };
  const last = counted.at(-1);
  return {
    startSeconds,
    lengthSeconds,
    throughputBitsPerSecond: bitsPerSecond,
    retransmits: total((interval) => interval.retransmits),
    congestionWindowBytes: last?.congestionWindowBytes,
    lostPackets: total((interval) => interval.lostPackets),
    sentPackets: total((interval) => interval.packets),
    jitterMicros: last?.jitterMicros,
  };
}
