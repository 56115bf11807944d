/**
 * Duty cycles over simulated token buckets, with the noise, the dips and the slow starts of a network. The seeds were
 * not used to choose any limit of the detector.
 *
 * What an answer has to be depends on what the samples can show. A drop is decidable where
 * - the burst lasted for three seconds, and the baseline for five whole seconds, in every later run for two: a slow
 *   first or last second of a run is no burst and no drop;
 * - the drop is six times as deep as either level scatters.
 * There, the verdict must have the drop: its onset within two seconds, or an interval that contains it. Where the credits
 * run out so near to the end of a run that the missing traffic is within the scatter of one sample, the drop of the next
 * run is right as well. Elsewhere the verdict may leave it open, but must claim nothing wrong: no fall in another place,
 * and no steady rate where a run ends at the baseline.
 */
import { describe, expect, test } from '@jest/globals';
import type { Verdict } from '../../../domain/model/verdict';
import { judgeThroughput } from '../../../domain/verdict/judge';
import {
  cyclesThatLast,
  cyclesThatRunEmpty,
  isDecidable,
  type CycleTruth,
  type SimulatedCycles,
} from '../../support/simulated-cycles';

function verdictOn({ series, dutyCycle }: SimulatedCycles): Verdict {
  return judgeThroughput({ direction: 'forward', series, dutyCycle, truncated: false });
}

function isRight({ onset }: Verdict, { dutyCycle, noise }: SimulatedCycles, truth: CycleTruth): boolean {
  if (onset === null) return false;
  const { onsetSeconds, burstBitsPerSecond, baselineBitsPerSecond } = truth;
  if (Math.abs(onset.value - onsetSeconds) <= 2) return true;
  // The clock of a run begins up to 0.2 s late.
  if (onset.low - 0.2 <= onsetSeconds && onset.high + 0.2 >= onsetSeconds) return true;
  const cycleSeconds = dutyCycle.onSeconds + dutyCycle.offSeconds;
  const leftInRun = dutyCycle.onSeconds - (onsetSeconds % cycleSeconds);
  const withinScatter = 0.1 + (3 * noise.burst) / (1 - baselineBitsPerSecond / burstBitsPerSecond);
  const isInNextRun = onset.value > onsetSeconds && onset.value < onsetSeconds + cycleSeconds;
  return leftInRun < withinScatter && isInNextRun;
}

/** What is wrong with the verdict; null where nothing is. */
function mistakeIn(cycles: SimulatedCycles): string | null {
  const { truth, name } = cycles;
  const verdict = verdictOn(cycles);
  const said = `${name}: ${verdict.kind}, onset ${verdict.onset?.value ?? 'none'}`;
  if (truth === null) return verdict.onset === null ? null : said;
  if (isRight(verdict, cycles, truth)) return null;
  if (isDecidable(cycles, truth) || verdict.onset !== null) return `${said}, truth ${truth.onsetSeconds}`;
  const claimsNoDrop = verdict.kind === 'steady' && truth.lowSampleCount > 0 && truth.burstSampleCount >= 3;
  return claimsNoDrop ? `${said}, truth ${truth.onsetSeconds}` : null;
}

function seeds(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

describe('cycles that run empty', () => {
  test.each([
    ['2 to 30 runs', 40_001, 120, undefined],
    ['two runs', 41_001, 80, 2],
    ['three runs', 42_001, 80, 3],
  ] as const)('%s: no wrong verdict', (_, first, count, runs) => {
    const made = seeds(first, count).map((seed) => cyclesThatRunEmpty(seed, runs));
    const decidable = made.filter((cycles) => cycles.truth && isDecidable(cycles, cycles.truth));
    expect(decidable.length).toBeGreaterThanOrEqual(40);
    expect(made.filter(({ truth }) => truth !== null).flatMap((cycles) => mistakeIn(cycles) ?? [])).toEqual([]);
  });
});

describe('cycles whose credits last', () => {
  test.each([
    ['2 to 30 runs', 43_001, 200, undefined],
    ['two runs', 44_001, 60, 2],
    ['three runs', 45_001, 60, 3],
    ['eleven runs with pauses that earn far more than slow waves take', 63_080, 1, undefined],
  ] as const)('%s: no throttle, whatever the network does', (_, first, count, runs) => {
    const made = seeds(first, count).map((seed) => cyclesThatLast(seed, runs));
    expect(made.every(({ truth }) => truth === null)).toBe(true);
    expect(made.flatMap((cycles) => mistakeIn(cycles) ?? [])).toEqual([]);
  });
});
