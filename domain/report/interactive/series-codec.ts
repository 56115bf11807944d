/**
 * How the series of a chart stands in the page. It imports nothing, because the page's script reads it with this code.
 */

/** One line of a chart. A value is null where a second is missing. */
export interface SeriesLine {
  readonly name: string;
  readonly unit: string;
  /** The middle of each interval, in seconds since the start of the load. */
  readonly seconds: readonly number[];
  readonly values: readonly (number | null)[];
}

export interface ChartSeries {
  readonly onsetSeconds?: number;
  readonly lines: readonly SeriesLine[];
}

interface EncodedLine {
  readonly name: string;
  readonly unit: string;
  /** Of a step of `values`. */
  readonly size: number;
  /** Differences between successive times, in tenths of a second; `[first, difference, count]` where all are equal. */
  readonly every?: readonly [first: number, difference: number, count: number];
  readonly times?: readonly number[];
  /** Differences between successive values, in steps; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface EncodedSeries {
  readonly onsetSeconds?: number;
  readonly lines: readonly EncodedLine[];
}

const TENTHS = 10;
/** A value is off by at most half a step: one part in 20,000 of the largest. */
const STEPS = 10_000;

export function encodeSeries({ onsetSeconds, lines }: ChartSeries): string {
  const encoded: EncodedSeries = { onsetSeconds, lines: lines.map(encodeLine) };
  // The text stands in a script element, which `</script>` would end.
  return JSON.stringify(encoded).replaceAll('<', '\\u003c');
}

function encodeLine({ name, unit, seconds, values }: SeriesLine): EncodedLine {
  const highest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const size = highest === 0 ? 1 : Number((highest / STEPS).toPrecision(3));
  const tenths = seconds.map((each) => Math.round(each * TENTHS));
  const times = tenths.map((each, index) => each - (tenths[index - 1] ?? 0));
  const [first = 0, difference = 0, ...others] = times;
  const isRegular = others.every((each) => each === difference);
  let before = 0;
  const steps = values.map((value) => {
    if (value === null) return null;
    const step = Math.round(value / size);
    const change = step - before;
    before = step;
    return change;
  });
  return {
    name,
    unit,
    size,
    ...(isRegular ? { every: [first, difference, times.length] } : { times }),
    values: steps,
  };
}

/** The inverse of `encodeSeries`, with times in whole tenths of a second. */
export function decodeSeries(text: string): ChartSeries {
  const { onsetSeconds, lines } = JSON.parse(text) as EncodedSeries;
  return { onsetSeconds, lines: lines.map(decodeLine) };
}

function decodeLine({ name, unit, size, every, times = [], values }: EncodedLine): SeriesLine {
  const differences =
    every === undefined ? times : Array.from({ length: every[2] }, (_, index) => (index === 0 ? every[0] : every[1]));
  let tenths = 0;
  let step = 0;
  return {
    name,
    unit,
    seconds: differences.map((difference) => (tenths += difference) / TENTHS),
    values: values.map((change) => (change === null ? null : (step += change) * size)),
  };
}
