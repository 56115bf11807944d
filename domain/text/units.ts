/** Figures with a unit, as people write them: keys of a plan such as `burstGbps`, and texts such as `30 min` and `2TB`. */
import { nearestWord } from './nearest-word';

type Dimension = 'bitsPerSecond' | 'seconds' | 'bytes';

/** The units that people write, in the unit of their dimension. */
const UNITS: Readonly<Record<string, readonly [Dimension, number]>> = {
  bitspersecond: ['bitsPerSecond', 1],
  gbitspersecond: ['bitsPerSecond', 1e9],
  bps: ['bitsPerSecond', 1],
  bytespersecond: ['bitsPerSecond', 8],
  kbps: ['bitsPerSecond', 1e3],
  mbps: ['bitsPerSecond', 1e6],
  gbps: ['bitsPerSecond', 1e9],
  mbit: ['bitsPerSecond', 1e6],
  gbit: ['bitsPerSecond', 1e9],
  micros: ['seconds', 1e-6],
  us: ['seconds', 1e-6],
  millis: ['seconds', 1e-3],
  ms: ['seconds', 1e-3],
  s: ['seconds', 1],
  sec: ['seconds', 1],
  secs: ['seconds', 1],
  seconds: ['seconds', 1],
  m: ['seconds', 60],
  min: ['seconds', 60],
  mins: ['seconds', 60],
  minutes: ['seconds', 60],
  h: ['seconds', 3600],
  hours: ['seconds', 3600],
  bytes: ['bytes', 1],
  kb: ['bytes', 1e3],
  mb: ['bytes', 1e6],
  gb: ['bytes', 1e9],
  mib: ['bytes', 2 ** 20],
  gib: ['bytes', 2 ** 30],
  tb: ['bytes', 1e12],
  tib: ['bytes', 2 ** 40],
};

/** Splits `rttMicros.p99` into `rtt`, the unit and `p99`; a unit is made of whole words: `Streams` has no `ms`. */
function partsOf(key: string) {
  const [figure = '', ...statistic] = key.split('.');
  const words = figure
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => word.toLowerCase());
  for (let start = 1; start < words.length; start += 1) {
    const unit = UNITS[words.slice(start).join('')];
    if (unit !== undefined) return { stem: words.slice(0, start).join(''), unit, statistic: statistic.join('.') };
  }
  return undefined;
}

/** Finds the key that is the same figure in another unit: `burstBitsPerSecond` for `burstGbps`. */
export function sameFigure(written: string, keys: readonly string[]): string | undefined {
  const parts = partsOf(written);
  if (parts === undefined) return undefined;
  return keys.find((key) => {
    const other = partsOf(key);
    return (
      other?.unit[0] === parts.unit[0] &&
      (parts.statistic === '' || parts.statistic === other.statistic) &&
      (other.stem === parts.stem || nearestWord(parts.stem, [other.stem]) !== undefined)
    );
  });
}

/**
 * Returns the value in the unit of the key, if it is a number, a text such as `30 min`, or an object of such limits;
 * otherwise the value as it is.
 * @param writtenKey the key that the value has in the plan, which may name another unit
 */
export function inUnitOf(key: string, value: unknown, writtenKey = key): unknown {
  const unit = partsOf(key)?.unit;
  const written = partsOf(writtenKey)?.unit ?? unit;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value).map(([name, each]) =>
      // The other limits are percentages.
      name === 'min' || name === 'max' ? [name, converted(each, unit, written)] : [name, each as unknown],
    );
    return Object.fromEntries(entries) as unknown;
  }
  return converted(value, unit, written);
}

type Unit = readonly [Dimension, number] | undefined;

const WRITTEN = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/;

/** Reads `2TB` or `40 min`. @returns undefined for a text without a unit, or with one of another dimension */
export function quantityIn(text: string, dimension: Dimension): number | undefined {
  const [, digits, name = ''] = WRITTEN.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : scaled(Number(digits), [dimension, 1], UNITS[name.toLowerCase()]);
}

/** @param words in small letters, as `bitspersecond` */
export function unitOfWords(words: string): { readonly dimension: Dimension; readonly factor: number } | undefined {
  const unit = Object.hasOwn(UNITS, words) ? UNITS[words] : undefined;
  return unit && { dimension: unit[0], factor: unit[1] };
}

function converted(value: unknown, unit: Unit, written: Unit): unknown {
  if (typeof value === 'number') return scaled(value, unit, written) ?? value;
  const [, digits, name = ''] = WRITTEN.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  if (digits === undefined) return value;
  if (name === '') return scaled(Number(digits), unit, written) ?? Number(digits);
  return scaled(Number(digits), unit, UNITS[name.toLowerCase()]) ?? value;
}

/** Twelve digits, so that a factor leaves no trace of binary fractions. */
function scaled(value: number, unit: Unit, from: Unit): number | undefined {
  if (unit === undefined || from?.[0] !== unit[0]) return undefined;
  return Number((value * (from[1] / unit[1])).toPrecision(12));
}
