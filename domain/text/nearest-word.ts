/** Finds the allowed word that a misspelt one most likely means, by the simplest distance for typing errors. */

/** With a greater share of wrong letters, words are alike by chance: `messageBytes`, `mssBytes`. One is allowed. */
const MAX_WRONG_SHARE = 0.3;
/** Shorter words share their beginning by chance. */
const MIN_PREFIX_LETTERS = 4;
/** Longer words are not compared: the time grows with the product of both lengths, and no allowed word is longer. */
const MAX_LETTERS = 60;

/** @returns undefined if no word is near, or if the word is one of `words` */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  if (written.length > MAX_LETTERS || words.includes(written)) return undefined;
  const distances = words.map((word) => ({ word, distance: distanceOf(letters(written), letters(word)) }));
  const [nearest] = distances.filter(({ distance }) => distance !== Infinity).sort((a, b) => a.distance - b.distance);
  return nearest?.word;
}

/** Ignores case and separators: `sameZone` and `same_zone` are the same word. */
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
 * Optimal string alignment: how many letters to insert, delete, replace or exchange with their neighbour. Damerau
 * (1964), https://doi.org/10.1145/363958.363994
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
