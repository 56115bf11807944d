/** Numbers as people read them, in sentences only: everything stored stays in bits and seconds. */

const GIGA = 1e9;
const MEGA = 1e6;

export function formatRate(bitsPerSecond: number): string {
  if (bitsPerSecond >= 0.1 * GIGA) return `${shortNumber(bitsPerSecond / GIGA)} Gbit/s`;
  return `${shortNumber(bitsPerSecond / MEGA)} Mbit/s`;
}

export function formatBits(bits: number): string {
  if (bits >= 1e12) return `${shortNumber(bits / 1e12)} Tbit`;
  if (bits >= 0.1 * GIGA) return `${shortNumber(bits / GIGA)} Gbit`;
  return `${shortNumber(bits / MEGA)} Mbit`;
}

export function formatSeconds(seconds: number): string {
  return `${seconds < 1000 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
}

/** Enough digits to tell 1.25 from 1.3, without noise. */
function shortNumber(value: number): string {
  if (value >= 99.5) return value.toFixed(0);
  if (value >= 9.95) return value.toFixed(1);
  return value.toFixed(2).replace(/(\.\d)0$/, value >= 1 ? '$1' : '$&');
}
