/** Ends and ticks of an axis that people read. */

/** The least round number above everything drawn, with room for a label, and the distance of its ticks. */
export function axisEnd(highest: number): { readonly max: number; readonly interval: number } {
  const wanted = Math.max(highest, 1e-6) * 1.06;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const [mantissa, parts] = AXIS_ENDS.find(([end]) => end * power >= wanted) ?? [10, 5];
  return { max: mantissa * power, interval: (mantissa * power) / parts };
}

/** Ticks are sums of intervals, which leave 0.30000000000000004; ten thousand packets are 10k, to fit beside the axis. */
export function tickLabel(value: number): string {
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}

const AXIS_ENDS = [
  [1, 5],
  [1.2, 6],
  [1.5, 5],
  [2, 4],
  [2.5, 5],
  [3, 6],
  [4, 4],
  [5, 5],
  [6, 6],
  [8, 4],
  [10, 5],
] as const;
