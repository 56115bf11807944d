/**
 * Formats numbers for people. Tables have the unit in their heading and show three significant digits; a sentence has
 * the unit after each number (`formatRate`, `formatBits`, `formatSeconds`) and drops digits that add nothing.
 */

/** Shown in place of an absent value. */
export const NOT_MEASURED = '–';

type Maybe = number | null | undefined;

/** Formats a number; a missing one stays undefined. */
interface NumberFormat {
  (value: number): string;
  (value: Maybe): string | undefined;
}

const numberFormat = (text: (value: number) => string): NumberFormat =>
  ((value: Maybe) => (value === null || value === undefined ? undefined : text(value))) as NumberFormat;

/** Three significant digits, never an exponent, and all digits of a whole number: 0.125, 9.37, 22.2, 1 234. */
export function threeDigits(value: number): string {
  if (value === 0) return '0';
  const decimalsOf = (size: number) => Math.min(Math.max(2 - Math.floor(Math.log10(size)), 0), 6);
  const rounded = Math.abs(Number(value.toFixed(decimalsOf(Math.abs(value)))));
  // Rounding may add a digit before the decimal sign: 0.9996 becomes 1.00.
  return groupDigits(value.toFixed(decimalsOf(rounded === 0 ? Math.abs(value) : rounded)));
}

/** The unit of a column; `size` is how many stored units make one of it. */
export interface Unit {
  readonly prefix: 'G' | 'M';
  readonly size: number;
}

/** Returns the unit of bits for all values of a table: mega if no value reaches a giga. */
export function unitOf(values: readonly Maybe[]): Unit {
  const isSmall = values.every((value) => (value ?? 0) < 1e9) && values.some((value) => (value ?? 0) > 0);
  return isSmall ? { prefix: 'M', size: 1e6 } : { prefix: 'G', size: 1e9 };
}

/** In units of 10⁹ bits, as EC2 counts them. */
export const gigabits = numberFormat((bits) => threeDigits(bits / 1e9));

/** To a tenth even after long runs: an onset after 17 minutes is known as exactly as one after 17 seconds. */
export const seconds = numberFormat((value) => groupDigits(value.toFixed(1)));

export const grouped = numberFormat((value) => groupDigits(String(value)));

/** Separates groups of three digits by a narrow space, which can't be taken for a decimal sign. */
function groupDigits(number: string): string {
  const [whole = '', ...decimals] = number.split('.');
  // eslint-disable-next-line regexp/no-super-linear-move -- a number has few digits
  return [whole.replace(/\B(?=(\d{3})+$)/g, '\u202f'), ...decimals].join('.');
}

/** Round trips in microseconds: to a tenth below 100, whole above. */
export const micros = numberFormat((value) => (value < 100 ? value.toFixed(1) : grouped(Math.round(value))));

export const percent = numberFormat((ratio) => `${Math.round(ratio * 100)} %`);

/** Returns `64 bytes`, `16 KiB`, `64 MB`: in MB, GB or a power of 1024 if the number is whole, otherwise in bytes. */
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

/** `network_credits` becomes `network credits`, which still shows the value that queries use. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ');
}

export function formatRate(bitsPerSecond: number): string {
  return bitsPerSecond >= 1e8
    ? `${shortNumber(bitsPerSecond / 1e9)} Gbit/s`
    : `${shortNumber(bitsPerSecond / 1e6)} Mbit/s`;
}

export function formatBits(bits: number): string {
  if (bits >= 1e12) return `${shortNumber(bits / 1e12)} Tbit`;
  return bits >= 1e8 ? `${shortNumber(bits / 1e9)} Gbit` : `${shortNumber(bits / 1e6)} Mbit`;
}

/** Keeps three digits, for figures side by side that may differ in the last: `1.94 Mbit`, `9.41 Gbit`. */
export function comparedBits(bits: number): string {
  return bits >= 1e9 ? `${threeDigits(bits / 1e9)} Gbit` : `${threeDigits(bits / 1e6)} Mbit`;
}

export function comparedRate(bitsPerSecond: number): string {
  return `${comparedBits(bitsPerSecond)}/s`;
}

/** `980 packets/s`, `40.1 k packets/s`, `1.25 M packets/s`. */
export function formatPacketRate(packetsPerSecond: number): string {
  if (packetsPerSecond < 1000) return `${packetsPerSecond.toFixed(0)} packets/s`;
  return packetsPerSecond < 1e6
    ? `${threeDigits(packetsPerSecond / 1e3)} k packets/s`
    : `${threeDigits(packetsPerSecond / 1e6)} M packets/s`;
}

/** In thousands, the unit of packets per second in tables and on axes. */
export const kilopackets = numberFormat((packets) => threeDigits(packets / 1e3));

export function formatSeconds(seconds: number): string {
  return `${seconds < 1000 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
}

/** Keeps at least two digits, and a third unless it is 0: 1.25, 1.3, 0.50. */
function shortNumber(value: number): string {
  if (value >= 99.5) return value.toFixed(0);
  if (value >= 9.95) return value.toFixed(1);
  return value.toFixed(2).replace(/(\.\d)0$/, value >= 1 ? '$1' : '$&');
}

/** `Burst` becomes `burst`, for a name within a sentence. */
export const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `durationSeconds` becomes `duration_seconds`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
