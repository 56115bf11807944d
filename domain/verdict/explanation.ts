/** The verdict in one sentence. */
import { SHORT_SAMPLES } from '../detection/observe';
import type { LateDrop, SeriesShape, Throttle } from '../detection/series-shape';
import { mapInterval } from '../maths/interval';
import { mean, median, sum } from '../maths/statistics';
import type { TimeSpan } from '../series/rate-series';
import { contentionInBrief } from '../model/contended';
import { CPU_CONTENTION_WITNESS, type Cause, type VerdictKind, type Witness } from '../model/verdict';
import type { Diagnosis, Subject } from './causes/cause';
import type { BucketOwner } from './causes/network-credits';
import type { CensoredBucket } from './throttle-model';
import { describeDutyCycle } from './duty-cycle';
import type { Endpoint, ThroughputEvidence } from './evidence';
import { outageInWords, withoutOutages } from './causes/packet-loss';
import { counted, formatBits, formatRate, formatSeconds, percent } from '../text/format';

interface Findings {
  /** Its evidence is, for a duty cycle, on the axis of the time under load. */
  readonly subject: Subject;
  readonly kind: VerdictKind;
  readonly diagnosis: Diagnosis;
  readonly censored: CensoredBucket | null;
  readonly owner: BucketOwner | null;
  readonly witnesses: readonly Witness[];
  readonly outages: readonly TimeSpan[];
}

export function explain(findings: Findings): string {
  const { subject, witnesses, outages } = findings;
  const { shape, evidence, withheldCpu } = subject;
  const { cpuContention } = evidence;
  // Whoever reads on without it would take the rates for those of the network. Other work doesn't make a rate fall once
  // and stay low, so that after a drop it is said last.
  const saidBefore = [withheldCpu?.witness.detail, shape.throttle ? undefined : cpuContention];
  const first = saidBefore.filter(Boolean).map((each) => `${each}; `);
  const last = shape.throttle && cpuContention !== undefined ? `; ${contentionInBrief(cpuContention)}` : '';
  const saidFirst = [withheldCpu?.witness.name, CPU_CONTENTION_WITNESS];
  const but = witnesses
    .filter(({ name, agrees }) => agrees === false && !saidFirst.includes(name))
    .map(describeContradiction)
    .join('');
  const silent =
    outages.length === 0 && shape.deadTailSeconds > 0
      ? `; then no traffic for ${formatSeconds(shape.deadTailSeconds)}`
      : '';
  const early = evidence.truncated ? '; the measurement ended early' : '';
  const cycle = evidence.dutyCycle ? ` (${describeDutyCycle(shape, evidence.series, evidence.dutyCycle)})` : '';
  return `${first.join('')}${finding(findings)}${cycle}${silent}${but}${early}${last}`;
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

function finding({ subject, kind, diagnosis, censored, owner, outages }: Findings): string {
  const { shape, evidence } = subject;
  const typical = typicalRate(shape);
  const seconds = formatSeconds(shape.endSeconds - shape.loadStartSeconds);
  const outage = outageInWords(outages, evidence);
  if (kind === 'outage' && outage !== undefined) {
    const rate = median(withoutOutages(evidence.series, outages).map(({ bitsPerSecond }) => bitsPerSecond));
    return `${diagnosis.finding?.reason ?? outage}; ${formatRate(rate)} otherwise`;
  }
  if (shape.throttle) {
    const said = throttleSentence(subject, shape.throttle, diagnosis, owner?.end ?? null);
    return outage === undefined ? said : `${said}; ${outage}`;
  }
  // A few lower samples do not change what published figures show; whoever sees them is told.
  const dropless = shape.lateDrop
    ? `without a drop beyond doubt (${describeLateDrop(shape.lateDrop)})`
    : 'without a drop';
  const lateness = shape.lateDrop ? 'may have run out at its end' : 'did not run out within the window';
  const credits =
    censored && kind !== 'insufficient'
      ? `, above the ${censored.baseline.side}'s published baseline of ${formatRate(censored.baseline.bitsPerSecond)}, ${dropless}: ` +
        `the burst credits hold at least ${formatBits(censored.bits)} and ${lateness}`
      : '';
  if (diagnosis.finding && kind !== 'insufficient' && kind !== 'shift') {
    const { reason } = diagnosis.finding;
    // A load that the tool limits spends credits as well; under any other limit, the limit is what matters.
    const isAsked = credits !== '' && diagnosis.cause === 'tool_target';
    return `${typical} for ${seconds}${isAsked ? `${credits}; ${reason}` : ` ${dropless}: ${reason}`}`;
  }
  if (credits !== '') return `${typical} for ${seconds}${credits}`;
  if (kind === 'steady') return `${typical} for ${seconds} ${dropless}`;
  if (shape.lowEndSampleCount !== undefined) {
    const samples = shape.lowEndSampleCount === 1 ? '1 lower sample' : `${shape.lowEndSampleCount} lower samples`;
    return `${typical}; the last runs end with ${samples}, too few to tell credits that ran out from a passing dip`;
  }
  switch (shape.kind) {
    case 'noisy':
      return `${typical} for ${seconds}, with strong scatter and no lasting drop`;
    case 'dips':
      return `${typical} for ${seconds}, with passing dips and no lasting drop`;
    case 'ramp': {
      const [first, last] = rampRates(shape, evidence.series);
      return (
        `the rate changed gradually over ${seconds}, from ${first} to ${last}: ` +
        'credits run out at once, so this is no throttle'
      );
    }
    case 'shift': {
      const [first, last] = [levelRate(shape, 0), levelRate(shape, -1)];
      const shifted = `the rate shifted from ${first} to ${last} within ${seconds}`;
      if (diagnosis.finding) return `${shifted}: ${diagnosis.finding.reason}`;
      return diagnosis.cause === null
        ? `${shifted}, which is not how a throttle looks`
        : `${shifted}: why is not known`;
    }
    case 'insufficient':
      return insufficientSentence(shape, seconds);
    case 'steady':
    case 'drop':
    case 'drops':
    case 'cycle':
      return `${typical} for ${seconds}`;
  }
}

function insufficientSentence({ sampleCount, lateDrop }: SeriesShape, seconds: string): string {
  if (sampleCount === 0) return 'no traffic was measured';
  const samples = `${counted(sampleCount, 'sample')} over ${seconds}`;
  if (lateDrop) {
    return (
      `${describeLateDrop(lateDrop)}; ${samples} are too few for a verdict: at least ${SHORT_SAMPLES} are needed to tell ` +
      'credits that ran out from a passing dip'
    );
  }
  const needed = `${SHORT_SAMPLES} are needed to tell a steady rate from one that has yet to fall`;
  return `${samples} show no fall beyond doubt, and ${needed}`;
}

/** `the last 20 samples are at 5.0 Gbit/s, 50 % below the first 20` */
function describeLateDrop({ firstSampleCount, firstBitsPerSecond, lastSampleCount, lastBitsPerSecond }: LateDrop) {
  const below = percent(1 - lastBitsPerSecond / firstBitsPerSecond);
  const last = `the last ${counted(lastSampleCount, 'sample')} are at ${formatRate(lastBitsPerSecond)}`;
  return `${last}, ${below} below the first ${firstSampleCount}`;
}

/** The median. Where the mean, which every table has as the rate, may be another figure, it is named. */
function typicalRate({ typicalBitsPerSecond, kind }: SeriesShape): string {
  if (typicalBitsPerSecond === null) return 'no traffic';
  const rate = formatRate(typicalBitsPerSecond);
  return kind === 'noisy' || kind === 'dips' ? `a median of ${rate}` : rate;
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
  { shape, evidence }: Subject,
  throttle: Throttle,
  { cause, finding: found, examined }: Diagnosis,
  owner: Endpoint | null,
): string {
  // The time of a duty cycle's load has no pauses in it.
  const restSeconds = evidence.dutyCycle ? 0 : restSecondsOf(throttle);
  const burst = formatRate(throttle.burstBitsPerSecond);
  const baseline = formatRate(throttle.baselineBitsPerSecond);
  const { value, low, high } = mapInterval(throttle.onset, (seconds) => seconds - shape.loadStartSeconds);
  const rests = restSeconds > 0 ? `; ${formatSeconds(restSeconds)} of it without load` : '';
  const what = `${burst} for ${formatSeconds(value)} (${low.toFixed(1)} to ${high.toFixed(1)} s${rests}), then ${dropTo(shape, baseline, cause)}`;
  if (cause === 'network_credits') {
    const credits = owner === null ? 'the burst credits' : CREDITS_OF[owner];
    return shape.kind === 'cycle'
      ? `${what}: ${credits} recharge and run out again (${volumeOf(throttle, ' at first')})`
      : `${what}: ${credits} (${volumeOf(throttle, shape.kind === 'drops' ? ' before the first step' : '')}) ran out`;
  }
  if (found) return `${what}: ${found.reason}`;
  const credits = examined.find((each) => each.cause === 'network_credits');
  const why = credits?.standing === 'ruled_out' ? `network credits are not why: ${credits.reason}` : credits?.reason;
  const ifCredits =
    credits?.standing === 'ruled_out' ? '' : `; if these were network credits, they were ${volumeOf(throttle)}`;
  const possible = examined.filter(
    ({ cause: each, standing }) => standing === 'possible' && !SELF_EVIDENT.includes(each),
  );
  const others = possible.map(({ reason }) => `; ${reason}`).join('');
  return `${what}: why is not known (${why}${others})${ifCredits}`;
}

/** That these are possible goes without saying, or is said before. */
const SELF_EVIDENT: readonly Cause[] = ['path_limit', 'network_credits'];

/** A level that credits leave lasts beyond the end of the measurement; of any other, nobody knows. */
function dropTo({ kind }: SeriesShape, baseline: string, cause: Cause | null): string {
  if (kind === 'cycle') return `${baseline} with repeated bursts`;
  if (kind === 'drops') return `down in several steps to ${baseline}`;
  return cause === 'network_credits' ? baseline : `${baseline} to the end`;
}

/** @param when says when the credits had this volume, where they had others later */
function volumeOf({ bucketBits }: Throttle, when = ''): string {
  return bucketBits === null
    ? 'of unknown volume, because the rests before the fall earned back what the load had spent'
    : `${formatBits(bucketBits)} above the baseline${when}`;
}
