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
import type { ThroughputEvidence } from './evidence';
import { outageInWords, withoutOutages } from './causes/packet-loss';
import { counted, formatBits, formatRate, formatSeconds, percent } from '../text/format';

interface Findings {
  /** The times in the evidence of a duty cycle omit the pauses. */
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
  const saidFirst = [withheldCpu?.witness.name, CPU_CONTENTION_WITNESS];
  const contradictions = witnesses.filter(({ name, agrees }) => agrees === false && !saidFirst.includes(name));
  // Withheld or contended CPU is named first, because a reader would otherwise take the rates for those of the network.
  // Contention does not make a rate drop once and stay low, so after a drop it is named last.
  const said = [
    withheldCpu && `${withheldCpu.witness.detail}; `,
    cpuContention !== undefined && !shape.throttle && `${cpuContention}; `,
    finding(findings),
    evidence.dutyCycle && ` (${describeDutyCycle(shape, evidence.series, evidence.dutyCycle)})`,
    outages.length === 0 &&
      shape.deadTailSeconds > 0 &&
      `; then no traffic for ${formatSeconds(shape.deadTailSeconds)}`,
    ...contradictions.map(({ name, detail }) => `; but ${CONTRADICTIONS[name] ?? `${name} contradicts`}: ${detail}`),
    evidence.truncated && '; the measurement ended early',
    cpuContention !== undefined && shape.throttle && `; ${contentionInBrief(cpuContention)}`,
  ];
  return said.filter(Boolean).join('');
}

const CREDITS_OF = {
  sender: "the sender's outbound burst credits",
  receiver: "the receiver's inbound burst credits",
} as const;

const CONTRADICTIONS: Readonly<Record<string, string>> = {
  ena_allowance_counters: 'the ENA counters say',
  published_bandwidth: 'the published bandwidth differs',
  peer_bucket: 'the evidence points to different hosts',
  cpu: 'the CPU may be the reason',
};

function finding(findings: Findings): string {
  const { subject, kind, diagnosis, outages } = findings;
  const { shape, evidence } = subject;
  const outage = outageInWords(outages, evidence);
  if (kind === 'outage' && outage !== undefined) {
    const rate = median(withoutOutages(evidence.series, outages).map(({ bitsPerSecond }) => bitsPerSecond));
    return `${diagnosis.finding?.reason ?? outage}; ${formatRate(rate)} otherwise`;
  }
  if (!shape.throttle) return findingWithoutDrop(findings);
  const said = throttleSentence(findings, shape.throttle);
  return outage === undefined ? said : `${said}; ${outage}`;
}

function findingWithoutDrop({ subject, kind, diagnosis, censored }: Findings): string {
  const { shape, evidence } = subject;
  const typical = typicalRate(shape);
  const seconds = formatSeconds(shape.endSeconds - shape.loadStartSeconds);
  // A few lower samples at the end do not change what the published figures show, but a reader who sees them is told.
  const dropless = shape.lateDrop ? `without a clear drop (${describeLateDrop(shape.lateDrop)})` : 'without a drop';
  const lateness = shape.lateDrop ? 'may have run out at the end' : 'did not run out';
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
    return `${typical}; the last on-phases end with ${samples}, too few to tell whether credits ran out or the rate only dipped`;
  }
  if (shape.kind === 'insufficient') return insufficientSentence(shape, seconds);
  if (shape.kind === 'ramp') return rampSentence(shape, evidence.series, seconds);
  if (shape.kind === 'shift') return shiftSentence(shape, diagnosis, seconds);
  const course = shape.kind === 'noisy' ? 'strong scatter' : 'passing dips';
  return `${typical} for ${seconds}, with ${course} and no lasting drop`;
}

function shiftSentence({ segments }: SeriesShape, { cause, finding: found }: Diagnosis, seconds: string): string {
  const [first, last] = [segments.at(0), segments.at(-1)].map((segment) => formatRate(segment?.bitsPerSecond ?? 0));
  const shifted = `the rate shifted from ${first} to ${last} within ${seconds}`;
  if (found) return `${shifted}: ${found.reason}`;
  return cause === null ? `${shifted}, which does not look like a throttle` : `${shifted}: the cause is not known`;
}

function insufficientSentence({ sampleCount, lateDrop }: SeriesShape, seconds: string): string {
  if (sampleCount === 0) return 'no traffic was measured';
  const samples = `${counted(sampleCount, 'sample')} over ${seconds}`;
  if (lateDrop) {
    return (
      `${describeLateDrop(lateDrop)}; ${samples} are too few for a verdict: at least ${SHORT_SAMPLES} are needed to tell ` +
      'whether credits ran out or the rate only dipped'
    );
  }
  const needed = `at least ${SHORT_SAMPLES} are needed to tell a steady rate from one that falls later`;
  return `${samples} show no clear fall; ${needed}`;
}

/** For example `the last 20 samples are at 5.0 Gbit/s, 50 % below the first 20`. */
function describeLateDrop({ firstSampleCount, firstBitsPerSecond, lastSampleCount, lastBitsPerSecond }: LateDrop) {
  const below = percent(1 - lastBitsPerSecond / firstBitsPerSecond);
  const last = `the last ${counted(lastSampleCount, 'sample')} are at ${formatRate(lastBitsPerSecond)}`;
  return `${last}, ${below} below the first ${firstSampleCount}`;
}

/** The median, labelled as such if it may differ from the mean, which tables show as the rate. */
function typicalRate({ typicalBitsPerSecond, kind }: SeriesShape): string {
  if (typicalBitsPerSecond === null) return 'no traffic';
  const rate = formatRate(typicalBitsPerSecond);
  return kind === 'noisy' || kind === 'dips' ? `a median of ${rate}` : rate;
}

/** The first and the last rate of a slope are averaged over this share of it. */
const RAMP_END_SHARE = 0.05;

/** A slope has no level, so its rates are the means of its ends. */
function rampSentence({ endSeconds }: SeriesShape, series: ThroughputEvidence['series'], seconds: string): string {
  const rates = series
    .filter(({ startSeconds }) => startSeconds < endSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map(({ bitsPerSecond }) => bitsPerSecond)
    .filter(Number.isFinite);
  const count = Math.max(1, Math.round(rates.length * RAMP_END_SHARE));
  const [first, last] = [rates.slice(0, count), rates.slice(-count)].map((part) => formatRate(mean(part)));
  return (
    `the rate changed gradually over ${seconds}, from ${first} to ${last}: ` +
    'credits run out abruptly, so this is not a throttle'
  );
}

function throttleSentence({ subject, diagnosis, owner }: Findings, throttle: Throttle): string {
  const { shape, evidence } = subject;
  const { cause, finding: found, examined } = diagnosis;
  // The times of a duty cycle omit its pauses, so its rests are not named.
  const rested = evidence.dutyCycle ? [] : throttle.load.filter(({ isRest }) => isRest);
  const rests =
    rested.length > 0 ? `, including ${formatSeconds(sum(rested.map(({ seconds }) => seconds)))} without load` : '';
  const burst = formatRate(throttle.burstBitsPerSecond);
  const baseline = formatRate(throttle.baselineBitsPerSecond);
  const { value, low, high } = mapInterval(throttle.onset, (seconds) => seconds - shape.loadStartSeconds);
  const what = `${burst} for ${formatSeconds(value)} (${low.toFixed(1)} to ${high.toFixed(1)} s${rests}), then ${dropTo(shape, baseline, cause)}`;
  if (cause === 'network_credits') {
    const credits = owner?.end ? CREDITS_OF[owner.end] : 'the burst credits';
    return shape.kind === 'cycle'
      ? `${what}: ${credits} recharge and run out again (${volumeOf(throttle, ' at first')})`
      : `${what}: ${credits} (${volumeOf(throttle, shape.kind === 'drops' ? ' before the first step' : '')}) ran out`;
  }
  if (found) return `${what}: ${found.reason}`;
  const credits = examined.find((each) => each.cause === 'network_credits');
  const isRuledOut = credits?.standing === 'ruled_out';
  const why = isRuledOut ? `network credits are not the cause: ${credits.reason}` : credits?.reason;
  const covered = throttle.bucketBits === null ? 'were' : 'covered';
  const ifCredits = isRuledOut ? '' : `; if the cause is network credits, they ${covered} ${volumeOf(throttle)}`;
  const others = examined
    .filter(({ cause: each, standing }) => standing === 'possible' && !SELF_EVIDENT.includes(each))
    .map(({ reason }) => `; ${reason}`);
  return `${what}: the cause is not known (${why}${others.join('')})${ifCredits}`;
}

/** Not listed as possible: a path limit nearly always is, and network credits are named separately. */
const SELF_EVIDENT: readonly Cause[] = ['path_limit', 'network_credits'];

/** Only after spent credits is the lower level known to last beyond the end of the measurement. */
function dropTo({ kind }: SeriesShape, baseline: string, cause: Cause | null): string {
  if (kind === 'cycle') return `${baseline} with repeated bursts`;
  if (kind === 'drops') return `down in several steps to ${baseline}`;
  return cause === 'network_credits' ? baseline : `${baseline} to the end`;
}

/** @param when says when the credits had this volume, if it changed later */
function volumeOf({ bucketBits }: Throttle, when = ''): string {
  return bucketBits === null
    ? 'of unknown volume, because the pauses before the fall earned back what the load had spent'
    : `${formatBits(bucketBits)} above the baseline${when}`;
}
