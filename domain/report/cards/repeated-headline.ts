/** Puts the headlines of the repetitions of a measurement into one. */
import { groupBy } from '../../maths/elements';
import { largest, smallest } from '../../maths/statistics';

/** Matches a number as the report formats it, such as `1.25` or `4\u202f024`, but not the one of `p99`. */
const NUMBER = /(?<![\w.])\d[\d.\u202f]*/g;

/**
 * Replaces each number by its range over the repetitions: `9.49–9.55, then 1.24 Gbit/s from 60.1–60.6 s on`. Headlines
 * of different words, such as of repetitions without a drop, follow each other with their counts.
 */
export function repeatedHeadline(headlines: readonly (string | undefined)[]): string {
  const known = headlines.filter((each) => each !== undefined);
  const alike = [...groupBy(known, (text) => text.replace(NUMBER, '#')).values()];
  const texts = alike.map((same) => {
    const numbers = same.map((text) => text.match(NUMBER) ?? []);
    let index = 0;
    return same[0].replace(NUMBER, () => {
      const at = index++;
      return range(numbers.map((each) => each[at] ?? ''));
    });
  });
  if (headlines.length === 1) return texts.join('');
  const counts = alike.map(({ length }) =>
    length === headlines.length ? `${length} repetitions` : `${length} of ${headlines.length}`,
  );
  return texts.map((text, index) => `${counts[index]}: ${text}`).join('; ');
}

function range(numbers: readonly string[]): string {
  const value = (text: string) => Number(text.replaceAll('\u202f', ''));
  const [low, high] = [smallest, largest].map((extreme) => extreme(numbers.map(value)));
  const textOf = (wanted: number | undefined) => numbers.find((text) => value(text) === wanted) ?? '';
  return low === high ? textOf(low) : `${textOf(low)}–${textOf(high)}`;
}
