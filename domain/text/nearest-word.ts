/**
 * The allowed word that someone who wrote another one most likely meant. The distance is the simplest that knows all four
 * slips of typing; `domain/` takes no library for the 15 lines.
 */

/** With more than this share of the letters wrong, the likeness is chance: `messageBytes` is no slip of `mssBytes`. One letter may be. */
const MAX_WRONG_SHARE = 0.3;
/** Two words of fewer letters share their beginning by chance. */
const MIN_PREFIX_LETTERS = 4;
/** The time grows with the product of both lengths, and no allowed word is longer. */
const MAX_LETTERS = 60;

/** @returns undefined where no word is near, or where the word is one of `words` */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  if (written.length > MAX_LETTERS || words.includes(written)) return undefined;
  const distances = words.map((word) => ({ word, distance: distanceOf(letters(written), letters(word)) }));
  const [nearest] = distances.filter(({ distance }) => distance !== Infinity).sort((a, b) => a.distance - b.distance);
  return nearest?.word;
}

/** Words differ in their case and in what separates their parts without being other words: `sameZone`, `same_zone`. */
const letters = (word: string) => word.toLowerCase().replace(/[\s_-]/g, '');

function distanceOf(written: string, word: string): number {
  if (written === '') return Infinity;
  if (written === word) return 0;
  const isBeginning =
    Math.min(written.length, word.length) >= MIN_PREFIX_LETTERS &&
    (word.startsWith(written) || written.startsWith(word));
  if (isBeginning) return 1;
  const distance = editDistance(written, word);
  const longest = Math.max(written.length, word.length);
  return distance <= Math.max(MAX_WRONG_SHARE * longest, longest > 2 ? 1 : 0) ? distance : Infinity;
}

/**
 * Optimal string alignment: the letters to insert, delete, replace or exchange with their neighbour. Damerau (1964),
 * https://doi.org/10.1145/363958.363994
 */
function editDistance(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const isExchange = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + cost,
          isExchange ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
