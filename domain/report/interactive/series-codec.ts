/** Encodes the series of a chart for the page, and decodes it in the page's script; so this module imports nothing. */

/** A line of a chart. A value is null where a second is missing. */
export interface SeriesLine {
  readonly name: string;
  readonly unit: string;
  /** The middle of each interval, in seconds since the start of the load. */
  readonly seconds: readonly number[];
  readonly values: readonly (number | null)[];
  /**
   * The precision of the encoded values. `linear`: one part in 10,000 of the largest value; `ratio`: half a percent of
   * each value, for values that span decades; `count`: like `ratio`, but exact for whole numbers below 100.
   */
  readonly precision: Precision;
}

export type Precision = 'linear' | 'ratio' | 'count';

export interface ChartSeries {
  readonly onsetSeconds?: number;
  readonly lines: readonly SeriesLine[];
}

interface EncodedLine extends Pick<SeriesLine, 'name' | 'unit' | 'precision'> {
  /** The size of a step of `values`, where they are linear. */
  readonly size: number;
  /** Differences between successive times, in tenths of a second. */
  readonly times: string;
  /** Differences between successive values, in steps. */
  readonly values: string;
}

interface EncodedSeries {
  readonly onsetSeconds?: number;
  readonly lines: readonly EncodedLine[];
}

const TENTHS = 10;
/** The number of steps up to the largest linear value. */
const STEPS = 5_000;
/** Successive steps of a ratio differ by one percent. */
const RATIO_STEP = 0.01;

export function encodeSeries({ onsetSeconds, lines }: ChartSeries): string {
  const encoded: EncodedSeries = { onsetSeconds, lines: lines.map(encodeLine) };
  // The text is put into a script element, which `</script>` would end.
  return JSON.stringify(encoded).replaceAll('<', '\\u003c');
}

function encodeLine({ name, unit, seconds, values, precision }: SeriesLine): EncodedLine {
  const highest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const size = highest === 0 ? 1 : Number((highest / STEPS).toPrecision(3));
  const steps = values.map((value) => {
    if (value === null) return null;
    return Math.round(precision === 'linear' ? value / size : Math.log1p(value) / RATIO_STEP);
  });
  const tenths = seconds.map((each) => Math.round(each * TENTHS));
  return { name, unit, precision, size, times: encodeSteps(tenths), values: encodeSteps(steps) };
}

/** The inverse of `encodeSeries`; times are rounded to tenths of a second. */
export function decodeSeries(text: string): ChartSeries {
  const { onsetSeconds, lines } = JSON.parse(text) as EncodedSeries;
  return { onsetSeconds, lines: lines.map(decodeLine) };
}

function decodeLine({ name, unit, precision, size, times, values }: EncodedLine): SeriesLine {
  const valueOf = (step: number) => {
    if (precision === 'linear') return step * size;
    const value = Math.expm1(step * RATIO_STEP);
    return precision === 'count' && value < 100 ? Math.round(value) : Number(value.toPrecision(3));
  };
  return {
    name,
    unit,
    precision,
    seconds: decodeSteps(times).map((tenths) => (tenths ?? 0) / TENTHS),
    values: decodeSteps(values).map((step) => (step === null ? null : valueOf(step))),
  };
}

/** Each digit holds five bits of a number and a sixth bit that says whether more digits follow, as in source maps. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BITS = 5;
const MORE = 1 << BITS;
const MISSING = '.';
/** Stands before a number, which says how often the previous difference is repeated. */
const AGAIN = '*';
/** Fewer repetitions are written out. */
const LEAST_REPEATED = 3;

/** Encodes the differences between successive whole numbers; a difference spans missing numbers. */
function encodeSteps(steps: readonly (number | null)[]): string {
  const runs: { readonly difference: number | null; count: number }[] = [];
  let before = 0;
  for (const step of steps) {
    const difference = step === null ? null : step - before;
    const last = runs.at(-1);
    if (last?.difference === difference) last.count += 1;
    else runs.push({ difference, count: 1 });
    before = step ?? before;
  }
  return runs.map(({ difference, count }) => encodeRun(difference, count)).join('');
}

function encodeRun(difference: number | null, count: number): string {
  if (difference === null) return MISSING.repeat(count);
  // The first difference is written out, and so are the others if they are few.
  const [once, again] = [encodeInteger(difference), count - 1];
  return once + (again < LEAST_REPEATED ? once.repeat(again) : AGAIN + encodeInteger(again));
}

function encodeInteger(value: number): string {
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  let text = '';
  do {
    const digit = rest % MORE;
    rest = Math.floor(rest / MORE);
    text += DIGITS.charAt(rest > 0 ? digit + MORE : digit);
  } while (rest > 0);
  return text;
}

function decodeSteps(text: string): (number | null)[] {
  const steps: (number | null)[] = [];
  let [before, difference] = [0, 0];
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === MISSING) {
      steps.push(null);
      continue;
    }
    const isAgain = token.startsWith(AGAIN);
    if (!isAgain) difference = decodeInteger(token);
    for (let count = isAgain ? decodeInteger(token.slice(1)) : 1; count > 0; count -= 1) {
      before += difference;
      steps.push(before);
    }
  }
  return steps;
}

/** Digits that more digits follow are from the second half of `DIGITS`; a number has at most eleven digits. */
const TOKEN = /\.|\*?[g-z0-9_-]{0,10}[A-Za-f]/g;

function decodeInteger(digits: string): number {
  const number = Array.from(digits).reduceRight((rest, digit) => rest * MORE + (DIGITS.indexOf(digit) % MORE), 0);
  return number % 2 === 1 ? -(number + 1) / 2 : number / 2;
}
