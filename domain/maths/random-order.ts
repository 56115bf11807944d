/** A repeatable random order: in the plan's order, changes over time would look like differences between pairs. */
import { elementAt } from './elements';

/** Shuffles with the algorithm of Fisher and Yates. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  const next = randomNumbers(seed);
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    [result[last], result[other]] = [elementAt(result, other), elementAt(result, last)];
  }
  return result;
}

/** The FNV-1a hash of a run's name (31 bits). It must not change: a run planned again must get the same order. */
export function seedOf(runId: string): number {
  let hash = 0x811c9dc5;
  for (const character of runId) hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  return hash >>> 1;
}

/** mulberry32 (T. Ettinger, public domain): numbers from 0 to below 1, good enough to shuffle, the same everywhere. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
