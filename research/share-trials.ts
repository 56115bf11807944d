/** Trials of the search for changed shares of modes over the history of runs. */
import { shareSplits } from '../domain/history/share-change';
import type { Share } from '../domain/maths/mode-shares';
import { randomNumbers } from '../domain/maths/random-order';

type Random = () => number;

export interface MixedHistories {
  /** Of each run. */
  readonly pairs: number;
  /** The share of pairs at the upper mode. */
  readonly share: number;
  /** How much the pairs of one run resemble each other, from 0 (not at all) to 1 (all are alike). */
  readonly likeness: number;
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Marsaglia and Tsang (2000), DOI 10.1145/358407.358414. */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * random() ** (1 / shape);
  const scale = shape - 1 / 3;
  for (;;) {
    const deviate = normal(random);
    const cube = (1 + deviate / Math.sqrt(9 * scale)) ** 3;
    if (cube > 0 && Math.log(1 - random()) < deviate ** 2 / 2 + scale * (1 - cube + Math.log(cube)))
      return scale * cube;
  }
}

/** A run whose own share is drawn from a beta distribution where pairs resemble each other. */
function mixedRun(random: Random, { pairs, share, likeness }: MixedHistories): Share {
  const size = (1 - likeness) / likeness;
  const isAlike = likeness > 0 && share > 0 && share < 1;
  const [upper, lower] = isAlike
    ? [gamma(random, share * size), gamma(random, (1 - share) * size)]
    : [share, 1 - share];
  const ofRun = upper / (upper + lower);
  return { count: Array.from({ length: pairs }, () => random() < ofRun).filter(Boolean).length, of: pairs };
}

/** The share of histories in whose life a change is found that is none. */
export function falseShares(made: MixedHistories, histories: number, runs: number, seed: number) {
  const random = randomNumbers(seed);
  const lives = Array.from({ length: histories }, () => [
    ...shareSplits(
      Array.from({ length: runs }, () => mixedRun(random, made)),
      1,
    ),
  ]);
  const shareWith = (isFound: (splits: (typeof lives)[number][number]) => boolean) =>
    lives.filter((life) => life.some(isFound)).length / histories;
  return {
    certain: shareWith(({ certain }) => certain !== undefined),
    any: shareWith(({ certain, possible }) => (certain ?? possible) !== undefined),
  };
}

/** The share of histories in which a change to another share is found after so many runs at it. */
export function foundShares(
  made: MixedHistories & { readonly nowShare: number },
  histories: number,
  { before, after }: { readonly before: number; readonly after: number },
  seed: number,
) {
  const random = randomNumbers(seed);
  const newest = Array.from({ length: histories }, () => {
    const runs = Array.from({ length: before + after }, (_, index) =>
      mixedRun(random, index < before ? made : { ...made, share: made.nowShare }),
    );
    return [...shareSplits(runs, 1)].at(-1) ?? {};
  });
  return {
    certain: newest.filter(({ certain }) => certain !== undefined).length / histories,
    any: newest.filter(({ certain, possible }) => (certain ?? possible) !== undefined).length / histories,
  };
}
