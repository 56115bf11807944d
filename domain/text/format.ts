/** Numbers as people read them: three digits that matter, a unit, and nothing at all where nothing was measured. */

/** What stands where a value is absent. */
export const NOT_MEASURED = '–';

type Maybe = number | null | undefined;

/** Three significant digits, without an exponent and without losing whole digits: 0.125, 9.37, 22.2, 1234. */
export function threeDigits(value: number): string {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(2 - magnitude, 0), 6);
  return value.toFixed(decimals);
}

/** Gbit are 10⁹ bits, as EC2 counts them. */
export function gigabits(bits: Maybe): string | undefined {
  return bits === null || bits === undefined ? undefined : threeDigits(bits / 1e9);
}

/** Tenths, also of long runs: an onset is known to a tenth after 17 minutes as well as after 17 seconds. */
export function seconds(value: Maybe): string | undefined {
  return value === null || value === undefined ? undefined : value.toFixed(1);
}

/** Round trips: microseconds below ten thousand, whole ones from a hundred. */
export function micros(value: Maybe): string | undefined {
  if (value === null || value === undefined) return undefined;
  return value < 100 ? value.toFixed(1) : grouped(Math.round(value));
}

export function percent(ratio: Maybe): string | undefined {
  return ratio === null || ratio === undefined ? undefined : `${Math.round(ratio * 100)} %`;
}

/** Thousands apart by a narrow space, which no reader takes for a decimal sign. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** `64 bytes`, `16 KiB`, `64 MB`, `1 GiB`: whole millions and whole powers of 1024 as such, anything else as bytes. */
export function bytes(value: number): string {
  if (value % 1e9 === 0) return `${grouped(value / 1e9)} GB`;
  if (value % 1e6 === 0) return `${grouped(value / 1e6)} MB`;
  const power = [3, 2, 1].find((candidate) => value >= 1024 ** candidate && value % 1024 ** candidate === 0);
  return power === undefined ? `${grouped(value)} bytes` : `${grouped(value / 1024 ** power)} ${'KMG'[power - 1]}iB`;
}

/** `1 pair`, `2 pairs`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `45 s`, `3 min`, `2 min 30 s`, `2 h 5 min`. */
export function duration(totalSeconds: number): string {
  const whole = Math.round(totalSeconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = whole % 60;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

/** `2026-11-20 22:06:25 UTC` */
export function instant(iso: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(iso);
  return match ? `${match[1]} ${match[2]} UTC` : iso;
}

/** `burst_then_throttle` is shown as "burst then throttle": the word that queries use stays recognisable. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ');
}
