/** The verdict in one sentence. */
import { SHORT_SAMPLES } from '../detection/fall-evidence';
import type { LateFall, SeriesShape, Throttle } from '../detection/series-shape';
import { mean, sum } from '../maths/statistics';
import { CPU_CONTENTION_WITNESS, type VerdictKind, type Witness } from '../model/verdict';
import type { BucketOwner } from './bucket-owner';
import type { CensoredBucket } from './censoring';
import type { WithheldCpu } from './cpu-credits';
import { describeDutyCycle } from './duty-cycle';
import type { End, ThroughputEvidence } from './evidence';
import type { Limit } from './limits';
import { counted, formatBits, formatRate, formatSeconds, percent } from '../text/format';

interface Findings {
  readonly shape: SeriesShape;
  readonly kind: VerdictKind;
  readonly limit: Limit | null;
  readonly censored: CensoredBucket | null;
  readonly owner: BucketOwner | null;
  readonly withheldCpu: WithheldCpu | null;
  readonly witnesses: readonly Witness[];
  /** For a duty cycle, on the axis of the time under load. */
  readonly evidence: ThroughputEvidence;
}

export function explain(findings: Findings): string {
  const { shape, evidence, witnesses, withheldCpu } = findings;
  // Whoever reads on without it would take the rates for those of the network.
  const first = [withheldCpu?.witness.detail, evidence.cpuContention].filter(Boolean).map((each) => `${each}; `);
  const saidFirst = [withheldCpu?.witness.name, CPU_CONTENTION_WITNESS];
  const but = witnesses
    .filter(({ name, agrees }) => agrees === false && !saidFirst.includes(name))
    .map(describeContradiction)
    .join('');
  const silent = shape.deadTailSeconds > 0 ? `; then no traffic for ${formatSeconds(shape.deadTailSeconds)}` : '';
  const early = evidence.truncated ? '; the measurement ended early' : '';
  const cycle = evidence.dutyCycle ? ` (${describeDutyCycle(shape, evidence.series, evidence.dutyCycle)})` : '';
  return `${first.join('')}${finding(findings)}${cycle}${silent}${but}${early}`;
}

/** The part of a slope at either end whose mean is named. */
const RAMP_END_SHARE = 0.05;

/** Each host has a bucket per direction; a measurement spends the sender's outbound and the receiver's inbound one. */
const CREDITS_OF = {
  sender: "the sender's outbound burst credits",
  receiver: "the receiver's inbound burst credits",
} as const;

const CONTRADICTIONS: Readonly<Record<string, string>> = {
  ena_allowance_counters: 'the ENA counters say',
  published_bandwidth: 'what is published differs',
  peer_bucket: 'the witnesses name different ends',
  cpu: 'the CPU may be the reason',
};

function describeContradiction({ name, detail }: Witness): string {
  return `; but ${CONTRADICTIONS[name] ?? `${name} contradicts`}: ${detail}`;
}

function finding({ shape, kind, limit, censored, owner, withheldCpu, evidence }: Findings): string {
  const typical = typicalRate(shape);
  const seconds = formatSeconds(shape.endSeconds - shape.loadStartSeconds);
  if (shape.throttle) {
    // The time of a duty cycle's load has no pauses in it.
    const restSeconds = evidence.dutyCycle ? 0 : restSecondsOf(shape.throttle);
    return throttleSentence(shape, shape.throttle, kind, owner?.end ?? null, restSeconds, withheldCpu !== null);
  }
  // A few lower samples do not change the kind of a verdict that published figures give; whoever sees them is told.
  const dropless = shape.lateFall
    ? `without a drop beyond doubt (${describeLateFall(shape.lateFall)})`
    : 'without a drop';
  if (limit) return `${typical} for ${seconds} ${dropless}: ${limit.reason}`;
  if (kind === 'not_observed_within_window' && censored) {
    return (
      `${typical} for ${seconds}, above the ${censored.baseline.side}'s published baseline of ${formatRate(censored.baseline.bitsPerSecond)}, ${dropless}: ` +
      `the burst credits hold at least ${formatBits(censored.bits)} and ` +
      (shape.lateFall ? 'may have run out at its end' : 'did not run out within the window')
    );
  }
  if (kind === 'steady') return `${typical} for ${seconds} ${dropless}`;
  if (shape.lowEndSampleCount !== undefined) {
    const samples = shape.lowEndSampleCount === 1 ? '1 lower sample' : `${shape.lowEndSampleCount} lower samples`;
    return `${typical}; the last runs end with ${samples}, too few to tell credits that ran out from a passing dip`;
  }
  switch (shape.seriesClass) {
    case 'noisy':
      return `${typical} for ${seconds}, with strong scatter and no lasting drop`;
    case 'transient_dips':
      return `${typical} for ${seconds}, with passing dips and no lasting drop`;
    case 'ramp': {
      const [first, last] = rampRates(shape, evidence.series);
      return (
        `the rate changed gradually over ${seconds}, from ${first} to ${last}: ` +
        'credits run out at once, so this is no throttle'
      );
    }
    case 'level_shift': {
      const [first, last] = [levelRate(shape, 0), levelRate(shape, -1)];
      return `the rate shifted from ${first} to ${last} within ${seconds}, which is not how a throttle looks`;
    }
    case 'insufficient':
      return insufficientSentence(shape, seconds);
    case 'steady':
    case 'burst_then_throttle':
    case 'multi_step':
    case 'periodic_recharge':
      return `${typical} for ${seconds}`;
  }
}

function insufficientSentence({ sampleCount, lateFall }: SeriesShape, seconds: string): string {
  if (sampleCount === 0) return 'no traffic was measured';
  const samples = `${counted(sampleCount, 'sample')} over ${seconds}`;
  if (lateFall) {
    return (
      `${describeLateFall(lateFall)}; ${samples} are too few for a verdict: at least ${SHORT_SAMPLES} are needed to tell ` +
      'credits that ran out from a passing dip'
    );
  }
  const needed = `${SHORT_SAMPLES} are needed to tell a steady rate from one that has yet to fall`;
  return `${samples} show no fall beyond doubt, and ${needed}`;
}

/** `the last 20 samples are at 5.0 Gbit/s, 50 % below the first 20` */
function describeLateFall({ firstSampleCount, firstBitsPerSecond, lastSampleCount, lastBitsPerSecond }: LateFall) {
  const below = percent(1 - lastBitsPerSecond / firstBitsPerSecond);
  const last = `the last ${counted(lastSampleCount, 'sample')} are at ${formatRate(lastBitsPerSecond)}`;
  return `${last}, ${below} below the first ${firstSampleCount}`;
}

/** The median. Where the mean, which every table has as the rate, may be another figure, it is named. */
function typicalRate({ typicalBitsPerSecond, seriesClass }: SeriesShape): string {
  if (typicalBitsPerSecond === null) return 'no traffic';
  const rate = formatRate(typicalBitsPerSecond);
  return seriesClass === 'noisy' || seriesClass === 'transient_dips' ? `a median of ${rate}` : rate;
}

/** A slope has no level, so its rates are the means of its ends. */
function rampRates({ endSeconds }: SeriesShape, series: ThroughputEvidence['series']): [first: string, last: string] {
  const rates = series
    .filter(({ startSeconds }) => startSeconds < endSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map(({ bitsPerSecond }) => bitsPerSecond)
    .filter(Number.isFinite);
  const count = Math.max(1, Math.round(rates.length * RAMP_END_SHARE));
  return [formatRate(mean(rates.slice(0, count))), formatRate(mean(rates.slice(-count)))];
}

function levelRate(shape: SeriesShape, index: number): string {
  return formatRate(shape.segments.at(index)?.bitsPerSecond ?? shape.typicalBitsPerSecond ?? 0);
}

function restSecondsOf({ load }: Throttle): number {
  return sum(load.filter(({ isRest }) => isRest).map(({ seconds }) => seconds));
}

function throttleSentence(
  shape: SeriesShape,
  throttle: Throttle,
  kind: VerdictKind,
  owner: End | null,
  restSeconds: number,
  isCpuWithheld: boolean,
): string {
  const credits = owner === null ? 'the burst credits' : CREDITS_OF[owner];
  const burst = formatRate(throttle.burstBitsPerSecond);
  const baseline = formatRate(throttle.baselineBitsPerSecond);
  const halfWidth = (throttle.onset.high - throttle.onset.low) / 2;
  const onset = throttle.onset.value - shape.loadStartSeconds;
  const rests = restSeconds > 0 ? `; ${formatSeconds(restSeconds)} of it without load` : '';
  const time = `${formatSeconds(onset)} (±${Math.max(0.1, halfWidth).toFixed(1)} s${rests})`;
  if (kind === 'lasting_drop') {
    const fell = shape.seriesClass === 'multi_step' ? `down in several steps to ${baseline}` : baseline;
    if (isCpuWithheld) {
      return `${burst} for ${time}, then ${fell} to the end: the CPU explains it, and nothing shows that network credits ran out`;
    }
    return (
      `${burst} for ${time}, then ${fell} to the end: nothing besides the series shows that there are burst credits; ` +
      `if they ran out, they were ${volumeOf(throttle, shape.seriesClass === 'multi_step' ? ' before the first step' : '')}`
    );
  }
  if (shape.seriesClass === 'periodic_recharge') {
    return `${burst} for ${time}, then ${baseline} with repeated bursts: ${credits} recharge and run out again (${volumeOf(throttle, ' at first')})`;
  }
  if (shape.seriesClass === 'multi_step') {
    return `${burst} for ${time}, then down in several steps to ${baseline}: more than one limit ran out of credits (${volumeOf(throttle, ' before the first step')})`;
  }
  return `${burst} for ${time}, then ${baseline}: ${credits} (${volumeOf(throttle)}) ran out`;
}

/** @param when says when the credits had this volume, where they had others later */
function volumeOf({ bucketBits }: Throttle, when = ''): string {
  return bucketBits === null
    ? 'of unknown volume, because the rests before the fall earned back what the load had spent'
    : `${formatBits(bucketBits)} above the baseline${when}`;
}
