/** Puts values of the data model into words, for the report and for tables on a terminal. */
import type { Interval } from '../maths/interval';
import type { ModeShares } from '../maths/mode-shares';
import type { MeasuredHost, MeasurementResult } from '../model/result';
import { drivenStatistics } from '../model/statistics';
import type { HoldTime, Standing, Verdict } from '../model/verdict';
import { counted, duration, gigabits, grouped, lowerFirst, spaced } from '../text/format';
import type { FigureFacts } from '../tables/figure-facts';
import { EARNED_AT_REST, FULL_CREDITS_OF_ANOTHER_PAIR } from '../model/token-bucket';

/** The two instance types, with an arrow in the direction of the data. */
export function pairOfTypes(result: Pick<MeasurementResult, 'clientType' | 'serverType' | 'direction'>): string {
  const arrow = result.direction === 'reverse' ? '←' : result.direction === 'forward' ? '→' : '⇄';
  return `${result.clientType} ${arrow} ${result.serverType}`;
}

/** `p0001-m01, p0002-m01`, or `p0001-m01 to p0007-m01 (7)` for more than three. */
export function idsInShort(results: readonly Pick<MeasurementResult, 'measurementId'>[]): string {
  const all = results.map(({ measurementId }) => measurementId);
  return all.length > 3 ? `${all[0]} to ${all.at(-1)} (${all.length})` : all.join(', ');
}

/** The zones of the hosts that were launched, each zone once: `eu-central-1a euc1-az2, eu-central-1b euc1-az3`. */
export function zoneNames({ client, server }: MeasurementResult): string {
  return [...new Set([client && zoneWords(client), server && zoneWords(server)])].filter(Boolean).join(', ');
}

/** The zone's name, which differs between accounts, and its id, which does not: `eu-central-1a euc1-az2`. */
export function zoneWords({ zone, zoneId }: Pick<MeasuredHost, 'zone' | 'zoneId'>): string {
  return zoneId === undefined ? zone : `${zone} ${zoneId}`;
}

/** The relation of the two zones with their names: `same zone (eu-central-1a euc1-az2)`. */
export function zones(result: MeasurementResult): string {
  const names = zoneNames(result);
  return names === '' ? spaced(result.zoneRelation) : `${spaced(result.zoneRelation)} (${names})`;
}

/** Formats a figure of the verdict and the ends of its 95 % interval; undefined where the verdict lacks it. */
export function intervalText(interval: Interval | null | undefined, format: (value: number) => string) {
  if (!interval) return undefined;
  return { value: format(interval.value), low: format(interval.low), high: format(interval.high) };
}

/** What the hold times assume. This text is ASCII only, for a terminal. */
const MODEL =
  'The model of how long a rate can be held is bucket / (rate - baseline). It assumes that the credits were full at the ' +
  'start and that they are earned at the baseline rate.';
/** The recordings are named in docs/detection.md. */
const INTERVALS =
  'The intervals include how far recordings of EC2 differ from the model: the full credits of another pair by up to ' +
  `${Math.round((FULL_CREDITS_OF_ANOTHER_PAIR.high - 1) * 100)} %, and idle credits that come back at up to ` +
  `${EARNED_AT_REST.high} times the baseline rate.`;

/** `25.4 s`, `17 min 36 s` */
export function held(seconds: number): string {
  return seconds < 120 ? `${seconds.toFixed(1)} s` : duration(seconds);
}

/** Like `held`, but always in seconds, for text beside a chart whose axis is in seconds. */
export const inSeconds = (seconds: number) => `${seconds < 120 ? seconds.toFixed(1) : grouped(Math.round(seconds))} s`;

export function heldText(hold: HoldTime, time = held): string {
  return hold.seconds === null ? `at least ${time(hold.atLeastSeconds)}` : time(hold.seconds.value);
}

export function heldInterval(hold: HoldTime, time = held): string | undefined {
  if (hold.seconds === null) return undefined;
  const { low, high } = hold.seconds;
  return high === Infinity ? `${time(low)} or more` : `${time(low)} to ${time(high)}`;
}

export function refillText({ baseline, refill, refillSecondsAtLeast }: Verdict, time = held): string {
  if (refill === null) {
    const spent =
      refillSecondsAtLeast === null
        ? ''
        : ` Earning back what was spent takes at least ${time(refillSecondsAtLeast)} idle.`;
    // The series can still end lower than it begins, after a gradual change or with too few samples.
    return `Nothing shows beyond doubt that the credits ran out, so they last at least this long.${spent}`;
  }
  const { value, low, high } = refill;
  const until = high === Infinity ? 'or more' : `to ${time(high)}`;
  return (
    `${gigabits(baseline?.value) ?? '?'} Gbit/s can be held for as long as you like. Empty credits are full again after ` +
    `${time(value)} idle (${time(low)} ${until}), or ${time(2 * value)} at half the baseline.`
  );
}

/** Returns the assumptions behind the hold times; undefined where there are no hold times. */
export function modelText(verdicts: readonly (Verdict | null)[]): string | undefined {
  const answering = verdicts.filter((verdict) => verdict !== null && verdict.holdTimes.length > 0);
  if (answering.length === 0) return undefined;
  return answering.every((verdict) => verdict?.refill === null) ? MODEL : `${MODEL} ${INTERVALS}`;
}

/**
 * `9.48 Gbit/s`, or `0.938 Gbit/s on average` where the rate is not steady, because the verdict's sentence has the
 * median and could differ.
 */
export function meanRate(facts: Pick<MeasurementResult, 'kind' | 'statistics' | 'verdict'>): string | undefined {
  const mean = gigabits(drivenStatistics(facts)?.throughputBitsPerSecond?.mean);
  if (mean === undefined) return undefined;
  return facts.verdict?.kind === 'steady' ? `${mean} Gbit/s` : `${mean} Gbit/s on average`;
}

/** `Possible change: baseline fell` of `Baseline fell`. */
export function possibly(sentence: string): string {
  return `Possible change: ${lowerFirst(sentence)}`;
}

/** Added to a possible change, which more runs at the new level would confirm. */
export const TOO_FEW = ', too few to be sure';

/**
 * `4 of 7 pairs were at 9.69 Gbit/s, now 0 of 7 (all at 5.02)`.
 *
 * @param noun what was counted, for repetitions on the same pairs
 */
export function sharesInWords(
  { format, unit }: Pick<FigureFacts, 'format' | 'unit'>,
  { above, below, earlier, now }: ModeShares,
  noun = 'pairs',
): string {
  const [upper, lower] = [above, below].map((centres) => centres.map(format).join(' or '));
  const others = now.count === 0 ? 'all' : now.count < now.of ? 'the others' : 'before, the others';
  return `${earlier.count} of ${earlier.of} ${noun} were at ${upper} ${unit}, now ${now.count} of ${now.of} (${others} at ${lower})`;
}

/** `chance alone would do this 7 times in 100` */
export function chanceInWords(chance: number): string {
  const times = 100 * chance;
  return `chance alone would do this ${times < 1 ? 'less than once' : counted(Math.round(times), 'time')} in 100`;
}

const STANDINGS: Readonly<Record<Standing, string>> = {
  shown: 'Shown',
  possible: 'Possible',
  not_read: 'Not read',
  ruled_out: 'Ruled out',
};

/**
 * Groups the examined causes by standing: `Ruled out`, `packet rate (its counter is silent)`. Returns none for a steady
 * rate that nothing limits.
 */
export function causesByStanding({ kind, cause, causes }: Verdict): { heading: string; inWords: string }[] {
  if (kind === 'steady' && cause === null) return [];
  return (Object.entries(STANDINGS) as [Standing, string][]).flatMap(([standing, heading]) => {
    const alike = causes.filter((each) => each.standing === standing);
    const inWords = alike.map(({ cause, reason }) => `${spaced(cause)} (${reason})`).join('; ');
    return alike.length === 0 ? [] : [{ heading, inWords }];
  });
}
