/** @returns the first group of the pattern as a number; undefined where it is not there or is none (`-nan`) */
export function numberOf(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  const value = digits === undefined ? NaN : Number(digits);
  return Number.isFinite(value) ? value : undefined;
}
