/** Writes the verdict of a measurement as a line for the execution's output and for mails. ASCII, for old consoles. */
import { displacedWord } from '../model/cell';
import { contentionInBrief } from '../model/contended';
import { cpuCreditsInWords, type PairConditions } from '../model/conditions';
import { heldBackBy, verdictWord, withheldCpuOf } from '../model/verdict';
import { percentileName } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { isPlainlyScaled } from '../model/scaled-model';
import type { MeasurementSettings } from '../model/settings';
import { drivenStatistics, rttOf } from '../model/statistics';
import { ofAnotherPair } from '../model/token-bucket';
import { intervalText, meanRate } from '../run/words';
import { gigabits, seconds, threeDigits } from '../text/format';
import { withInterval } from './columns';

type Described =
  | 'measurementId'
  | 'tool'
  | 'kind'
  | 'scaledModel'
  | 'clientType'
  | 'serverType'
  | 'isDisplaced'
  | 'status'
  | 'statistics'
  | 'cpuContention'
  | 'verdict'
  | 'packetVerdict'
  | 'latencyVerdict';

/** The facts that a line needs, which both a `MeasurementResult` and a measurement of `summary.json` have. */
export interface VerdictFacts extends MeasurementSettings, PairConditions, Pick<MeasurementResult, Described> {
  readonly reason?: string | null;
}

/** `p0001-m02 c5.xlarge to c5.9xlarge, same_zone: drop: 1.00 Gbit/s until 22.2 (22.1 to 22.4) s, …` */
export function verdictLine(facts: VerdictFacts): string {
  const where = [facts.zoneRelation, ...cpuCreditsInWords(facts), displacedWord(facts)].filter(Boolean).join(', ');
  const subject = `${facts.measurementId} ${facts.clientType} to ${facts.serverType}, ${where}`;
  const found = finding(facts);
  const { withheldCpu, contention, onEc2, heldBack, notJudged, notComplete } = remarksOn(facts);
  // The verdict comes early because long lines are cut at the end.
  const busy = found !== '' && contention !== '' ? `but ${contention}` : contention;
  const parts = [withheldCpu, found, busy, onEc2, heldBack, notJudged, notComplete];
  return `${subject}: ${parts.filter(Boolean).join('; ')}`;
}

/** Returns the caveats of a measurement; each is empty where it does not apply. */
export function remarksOn(facts: VerdictFacts) {
  const { verdict, latencyVerdict, cpuContention, status, reason } = facts;
  const tooShort = verdict?.kind === 'insufficient' ? verdict : undefined;
  const onEc2 = onEc2InWords(facts);
  return {
    // An explanation of why there is no verdict already begins with the withheld CPU.
    withheldCpu: tooShort === undefined ? (withheldCpuOf(verdict) ?? '') : '',
    contention: cpuContention === undefined ? '' : contentionInBrief(cpuContention),
    heldBack: heldBackBy(facts) === undefined ? '' : withoutContention(latencyVerdict?.explanation ?? '', facts),
    notJudged: tooShort === undefined ? '' : withoutContention(tooShort.explanation, facts),
    notComplete: status === 'complete' ? '' : [status, reason].filter(Boolean).join(': '),
    onEc2: onEc2 === undefined ? '' : `on EC2 that would be ${onEc2}`,
  };
}

/** Removes the busy processors from the start of an explanation, because the line mentions them elsewhere in brief. */
function withoutContention(explanation: string, { cpuContention }: VerdictFacts): string {
  return cpuContention === undefined ? explanation : explanation.replace(`${cpuContention}; `, () => '');
}

/**
 * Converts the figures of a scaled model to EC2: `10 Gbit/s until 444 s, then 1.25 Gbit/s, bucket 2490 Gbit`.
 *
 * @returns undefined on EC2 itself, and for figures that the model does not simply scale
 */
function onEc2InWords(facts: VerdictFacts): string | undefined {
  const { scaledModel: model, verdict } = facts;
  if (model === undefined || verdict === null || !isPlainlyScaled(verdict)) return undefined;
  const rate = (bits: number | undefined) => gigabits(bits === undefined ? undefined : bits * model.rateDivisor) ?? '?';
  const { onset, burst, baseline, bucket } = verdict;
  if (onset === null) return `${rate(drivenStatistics(facts)?.throughputBitsPerSecond?.mean)} Gbit/s`;
  const onsetSeconds = seconds(onset.value * model.timeDivisor);
  const volume = bucket && `, bucket ${threeDigits((bucket.value * model.rateDivisor * model.timeDivisor) / 1e9)} Gbit`;
  return plain(
    `${rate(burst?.value)} Gbit/s until ${onsetSeconds} s, then ${rate(baseline?.value)} Gbit/s${volume ?? ''}`,
  );
}

function finding(facts: VerdictFacts): string {
  const { verdict, packetVerdict } = facts;
  if (packetVerdict !== undefined) {
    return `${verdictWord(packetVerdict)}: ${withoutContention(packetVerdict.explanation, facts)}`;
  }
  if (verdict === null && facts.kind !== 'latency') return '';
  if (verdict === null) {
    const cause = heldBackBy(facts);
    return [cause && `held back by ${cause}`, roundTrips(facts)].filter(Boolean).join(': ');
  }
  // A mean that includes an outage is not a rate of the path.
  if (verdict.kind === 'outage') return `outage: ${withoutContention(verdict.explanation, facts)}`;
  if (verdict.onset === null) {
    const mean = meanRate(facts);
    const atLeast = gigabits(verdict.bucketBitsAtLeast);
    const bucket = atLeast === undefined ? '' : `, bucket at least ${atLeast} Gbit`;
    return mean === undefined ? verdictWord(verdict) : `${verdictWord(verdict)}: ${mean}${bucket}`;
  }
  const bucket = bucketText(facts);
  const owner = verdict.throttledBy === null ? '' : `${verdict.throttledBy}'s `;
  return [
    `${verdictWord(verdict)}: ${gigabits(verdict.burst?.value) ?? '?'} Gbit/s until ${onsetText(facts) ?? '?'} s`,
    `then ${gigabits(verdict.baseline?.value) ?? '?'} Gbit/s`,
    ...(bucket === undefined ? [] : [`${owner}bucket ${bucket} Gbit`]),
    ...(verdict.confidence === null ? [] : [`confidence ${verdict.confidence.toFixed(2)}`]),
  ].join(', ');
}

const ROUND_TRIPS_SHOWN = ['p50', 'p99', 'p99_9', 'max'] as const;

function roundTrips(facts: VerdictFacts): string {
  const rtt = rttOf(facts);
  if (rtt === undefined) return '';
  const shown = ROUND_TRIPS_SHOWN.filter((field) => rtt[field] !== undefined).map(
    (field) => `${field === 'max' ? field : percentileName(field)} ${plainMicros(rtt[field])}`,
  );
  return `round trip ${shown.join(', ')} us`;
}

const onsetText = ({ verdict }: VerdictFacts) => withInterval(verdict?.onset, seconds);

/** `500 (440 to 569 for another pair)`: the interval of the fit is not shown, because instances differ by more. */
function bucketText({ verdict }: VerdictFacts): string | undefined {
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  const bucket = intervalText(verdict?.bucket && ofAnotherPair(verdict.bucket), gigabits);
  if (bucket === undefined) return atLeast && `>= ${atLeast}`;
  return `${bucket.value} (${bucket.low} to ${bucket.high} for another pair)`;
}

/** Formats without the narrow space that groups digits elsewhere, because it is not ASCII. */
export const plainMicros = (value: number | undefined) => value?.toFixed(value < 100 ? 1 : 0) ?? '';

/** Replaces characters that are not ASCII, such as the narrow space that groups digits, by a space. */
export const plain = (text: string) => text.replace(/[^ -~]/g, ' ');
