/** The ENA allowance counters of a series: which of them grew, on which host and in which second. */
import type { Sample } from '../../model/sample';

const COUNTERS = [
  ['bwInAllowanceExceeded', 'bw in'],
  ['bwOutAllowanceExceeded', 'bw out'],
  ['ppsAllowanceExceeded', 'pps'],
  ['conntrackAllowanceExceeded', 'conntrack'],
  ['linklocalAllowanceExceeded', 'link-local'],
] as const;

export interface AllowanceSeries {
  /** `bw out (client)` */
  readonly name: string;
  readonly points: readonly [seconds: number, packets: number][];
  readonly totalPackets: number;
}

/** Only the counters that grew; a sentence says better than a chart that one stood still. */
export function allowanceSeries(series: readonly Sample[]): AllowanceSeries[] {
  const samples = series.filter(({ metric }) => metric === 'allowance');
  return (['client', 'server'] as const).flatMap((hostRole) =>
    COUNTERS.flatMap(([key, word]) => {
      const points = samples.flatMap((sample): [number, number][] => {
        const packets = sample.hostRole === hostRole ? sample[key] : undefined;
        return packets === undefined ? [] : [[sample.startSeconds + sample.lengthSeconds / 2, packets]];
      });
      const totalPackets = points.reduce((sum, [, packets]) => sum + packets, 0);
      return totalPackets > 0 ? [{ name: `${word} (${hostRole})`, points, totalPackets }] : [];
    }),
  );
}

export function hasAllowanceCounters(series: readonly Sample[]): boolean {
  return series.some(({ metric }) => metric === 'allowance');
}
