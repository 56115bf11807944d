/** The verdicts as lines for the execution's output and as tables for a terminal. ASCII: some consoles show no more. */
import type { Interval } from '../maths/interval';
import { displacedWord } from '../model/cell';
import { contentionInBrief } from '../model/contended';
import { cpuCreditsInWords, type PairConditions } from '../model/conditions';
import { heldBackBy } from '../model/latency-verdict';
import { percentileName } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { isPlainlyScaled, scaledModelInWords } from '../model/scaled-model';
import { settingsInWords, type MeasurementSettings } from '../model/settings';
import { conditionsOf, drivenStatistics, latencyOf, packetsOf, type RttQuantiles } from '../model/statistics';
import { ofAnotherPair } from '../model/token-bucket';
import { verdictWord, withheldCpuOf } from '../model/verdict';
import { gigabits, kilopackets, seconds, threeDigits, unitOf, type Unit } from '../text/format';
import { printable } from '../text/printable';
import { columnTable, wrapped, type TextColumn } from '../text/text-table';
import { intervalText } from './wording';

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

/** What a line needs. Both a `MeasurementResult` and a measurement of `summary.json` have it. */
export interface VerdictFacts extends MeasurementSettings, PairConditions, Pick<MeasurementResult, Described> {
  readonly reason?: string | null;
}

/** `p0001-m02 c5.xlarge to c5.9xlarge, same_zone: drop: 1.00 Gbit/s until 22.2 (22.1 to 22.4) s, …` */
export function verdictLine(facts: VerdictFacts): string {
  const where = [facts.zoneRelation, ...cpuCreditsInWords(facts), displacedWord(facts)].filter(Boolean).join(', ');
  const subject = `${facts.measurementId} ${facts.clientType} to ${facts.serverType}, ${where}`;
  const [found, busy] = [finding(facts), contention(facts)];
  // Where a line is cut, the verdict must stand in what is left.
  const doubted = found !== '' && busy !== '' ? [found, `but ${busy}`] : [found, busy];
  const onEc2 = onEc2InWords(facts);
  const scaled = onEc2 === undefined ? '' : `on EC2 that would be ${onEc2}`;
  const parts = [
    withheldCpu(facts),
    ...doubted,
    scaled,
    whyHeldBack(facts),
    whyNotJudged(facts),
    whyNotComplete(facts),
  ];
  return `${subject}: ${parts.filter(Boolean).join('; ')}`;
}

/** Empty for hosts that had CPU credits, and where the whole explanation follows, which begins with it. */
function withheldCpu({ verdict }: VerdictFacts): string {
  return verdict?.kind === 'insufficient' ? '' : (withheldCpuOf(verdict) ?? '');
}

/** In a few words, because the report has the figures; empty where no other work kept the processors of a host busy. */
function contention({ cpuContention }: VerdictFacts): string {
  return cpuContention === undefined ? '' : contentionInBrief(cpuContention);
}

/** A whole explanation says it too, with the figures, which would fill a line before the finding. */
function withoutContention(explanation: string, { cpuContention }: VerdictFacts): string {
  return cpuContention === undefined ? explanation : explanation.replace(`${cpuContention}; `, () => '');
}

/** What is missing for a verdict; empty where there is one. */
function whyNotJudged(facts: VerdictFacts): string {
  const { verdict } = facts;
  return verdict?.kind === 'insufficient' ? withoutContention(verdict.explanation, facts) : '';
}

/** What an allowance did to the round trips; empty where none held any back. */
function whyHeldBack(facts: VerdictFacts): string {
  return heldBackBy(facts) === undefined ? '' : withoutContention(facts.latencyVerdict?.explanation ?? '', facts);
}

/** `failed: Connection refused`; empty for a complete measurement. */
function whyNotComplete({ status, reason }: VerdictFacts): string {
  return status === 'complete' ? '' : [status, reason].filter(Boolean).join(': ');
}

/**
 * `10 Gbit/s until 444 s, then 1.25 Gbit/s, bucket 2490 Gbit`: what was measured, on the scale of EC2.
 *
 * @returns undefined for what was measured on EC2 itself, and for what is no plain scaling
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
  // A mean over an outage is no rate of the path.
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

/** The round trips of a latency measurement; other kinds have none. */
export function rttOf(facts: Pick<VerdictFacts, 'kind' | 'statistics'>): RttQuantiles | undefined {
  return latencyOf(facts)?.rttMicros;
}

/** `9.48 Gbit/s`, and `0.938 Gbit/s on average` where the seconds are not alike: the verdict's sentence has the median. */
export function meanRate(facts: Pick<VerdictFacts, 'kind' | 'statistics' | 'verdict'>): string | undefined {
  const mean = gigabits(drivenStatistics(facts)?.throughputBitsPerSecond?.mean);
  if (mean === undefined) return undefined;
  return facts.verdict?.kind === 'steady' ? `${mean} Gbit/s` : `${mean} Gbit/s on average`;
}

/** `22.2 (22.1 to 22.4)` */
function withInterval(interval: Interval | null | undefined, format: (value: number) => string): string | undefined {
  const text = intervalText(interval, format);
  return text && `${text.value} (${text.low} to ${text.high})`;
}

const onsetText = ({ verdict }: VerdictFacts) => withInterval(verdict?.onset, seconds);

/** `500 (440 to 569 for another pair)`: how well one fit knows its own bucket says little of the next instance's. */
function bucketText({ verdict }: VerdictFacts): string | undefined {
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  const bucket = intervalText(verdict?.bucket && ofAnotherPair(verdict.bucket), gigabits);
  if (bucket === undefined) return atLeast && `>= ${atLeast}`;
  return `${bucket.value} (${bucket.low} to ${bucket.high} for another pair)`;
}

/** Without the space that groups digits, which is not ASCII. */
const plainMicros = (value: number | undefined) => value?.toFixed(value < 100 ? 1 : 0) ?? '';

type Column = TextColumn<VerdictFacts>;

const subjectColumns: readonly Column[] = [
  { heading: 'measurement', cell: (facts) => facts.measurementId },
  { heading: 'client', cell: (facts) => facts.clientType, brief: { heading: 'types', cell: typesText } },
  { heading: 'server', cell: (facts) => facts.serverType, brief: null },
  { heading: 'where', cell: whereText, rank: 6 },
];

function typesText({ clientType, serverType }: VerdictFacts): string {
  return clientType === serverType ? clientType : `${clientType} to ${serverType}`;
}

/**
 * `same_zone private cluster standard_cpu_credits`. No placement group and ENA Express off are the usual conditions and
 * are left out.
 */
function whereText(facts: VerdictFacts): string {
  const { zoneRelation, path, placement, enaExpress } = facts;
  const group = placement === 'none' ? undefined : placement;
  const express = enaExpress === 'off' ? undefined : `ena_express_${enaExpress}`;
  const credits = cpuCreditsInWords(facts).map((words) => words.toLowerCase().replaceAll(' ', '_'));
  return [zoneRelation, path, group, express, ...credits, displacedWord(facts)].filter(Boolean).join(' ');
}

/** The words group digits by a narrow space, which is not ASCII; here a plain space replaces it. */
const plain = (text: string) => text.replace(/[^ -~]/g, ' ');

function measuredText(facts: VerdictFacts): string {
  return plain(`${facts.tool} ${settingsInWords(facts)}`);
}

/** The last columns of each table; what was measured is the longest text. */
const lastColumns: readonly Column[] = [
  { heading: 'status', cell: (facts) => facts.status, rank: 8 },
  { heading: 'measured', cell: measuredText, rank: 9 },
];

/** A figure with its interval, of which a brief table shows the figure alone. */
function intervalColumn(
  heading: string,
  rank: number,
  intervalOf: (facts: VerdictFacts) => Interval | null | undefined,
  format: (value: number) => string,
  insteadOf: (facts: VerdictFacts) => string | undefined = () => undefined,
): Column {
  return {
    heading: `${heading} (95 %)`,
    cell: (facts) => withInterval(intervalOf(facts), format) ?? insteadOf(facts),
    brief: { heading, cell: (facts) => intervalText(intervalOf(facts), format)?.value ?? insteadOf(facts) },
    rank,
  };
}

const bits =
  ({ size }: Unit) =>
  (value: number) =>
    threeDigits(value / size);

function throughputTable(measurements: readonly VerdictFacts[]): readonly Column[] {
  const meanOf = (facts: VerdictFacts) => drivenStatistics(facts)?.throughputBitsPerSecond?.mean;
  const levels = ({ verdict }: VerdictFacts) => [verdict?.burst?.value, verdict?.baseline?.value];
  const rates = unitOf(measurements.flatMap((facts) => [meanOf(facts), ...levels(facts)]));
  const volumes = unitOf(measurements.map(({ verdict }) => verdict?.bucket?.value ?? verdict?.bucketBitsAtLeast));
  const rate = (value: number | undefined) => (value === undefined ? undefined : bits(rates)(value));
  const atLeast = ({ verdict }: VerdictFacts) => {
    const least = verdict?.bucketBitsAtLeast;
    return least === undefined || least === null ? undefined : `>= ${bits(volumes)(least)}`;
  };
  return [
    ...subjectColumns,
    { heading: 'verdict', cell: ({ verdict, status }) => (verdict ? verdictWord(verdict) : status) },
    { heading: `mean ${rates.prefix}bit/s`, alignRight: true, cell: (facts) => rate(meanOf(facts)) },
    { heading: 'burst', alignRight: true, cell: ({ verdict }) => rate(verdict?.burst?.value), rank: 1 },
    { heading: 'baseline', alignRight: true, cell: ({ verdict }) => rate(verdict?.baseline?.value), rank: 2 },
    intervalColumn('onset s', 3, ({ verdict }) => verdict?.onset, seconds),
    intervalColumn(`bucket ${volumes.prefix}bit`, 4, ({ verdict }) => verdict?.bucket, bits(volumes), atLeast),
    { heading: 'credits of', cell: (facts) => facts.verdict?.throttledBy ?? undefined, rank: 5 },
    { heading: 'confidence', alignRight: true, cell: (facts) => facts.verdict?.confidence?.toFixed(2), rank: 7 },
    ...lastColumns,
  ];
}

const rttColumn = (heading: string, key: keyof RttQuantiles, rank?: number): Column => ({
  heading,
  alignRight: true,
  cell: (facts) => plainMicros(rttOf(facts)?.[key]),
  rank,
});

const latencyTable: readonly Column[] = [
  ...subjectColumns,
  rttColumn('rtt us p50', 'p50'),
  rttColumn('p90', 'p90', 3),
  rttColumn('p99', 'p99'),
  rttColumn('p99.9', 'p99_9', 2),
  rttColumn('max', 'max', 1),
  { heading: 'held back by', cell: heldBackBy, rank: 5 },
  ...lastColumns,
];

const packetTable: readonly Column[] = [
  ...subjectColumns,
  { heading: 'verdict', cell: ({ packetVerdict, status }) => (packetVerdict ? verdictWord(packetVerdict) : status) },
  {
    heading: 'mean k packets/s',
    alignRight: true,
    cell: (facts) => kilopackets(packetsOf(facts)?.packetsPerSecond?.mean),
  },
  { heading: 'burst', alignRight: true, cell: (facts) => kilopackets(facts.packetVerdict?.burst?.value), rank: 1 },
  intervalColumn('carried to the end', 2, (facts) => facts.packetVerdict?.baseline, kilopackets),
  intervalColumn('onset s', 3, (facts) => facts.packetVerdict?.onset, seconds),
  { heading: 'limited by', cell: (facts) => facts.packetVerdict?.limitedBy ?? undefined, rank: 4 },
  { heading: 'confidence', alignRight: true, cell: (facts) => facts.packetVerdict?.confidence?.toFixed(2), rank: 7 },
  ...lastColumns,
];

const conditionsTable: readonly Column[] = [
  ...subjectColumns,
  { heading: 'hops', alignRight: true, cell: (facts) => conditionsOf(facts)?.hopCount?.toFixed(0) },
  { heading: 'path MTU bytes', alignRight: true, cell: (facts) => conditionsOf(facts)?.pathMtuBytes?.toFixed(0) },
  ...lastColumns,
];

function reasons(facts: VerdictFacts): string[] {
  const onEc2 = onEc2InWords(facts);
  const notJudged = whyNotJudged(facts);
  const lines = [
    withheldCpu(facts),
    contention(facts),
    whyHeldBack(facts),
    notJudged && `insufficient: ${notJudged}`,
    whyNotComplete(facts),
    onEc2 === undefined ? '' : `on EC2 that would be ${onEc2}`,
  ];
  return lines.filter((line) => line !== '').map((line) => printable(`${facts.measurementId}: ${line}`));
}

/** Of the models that were measured, each once. */
function models(measurements: readonly VerdictFacts[]): string[] {
  return [
    ...new Set(measurements.flatMap(({ scaledModel }) => (scaledModel ? [scaledModelInWords(scaledModel)] : []))),
  ];
}

/**
 * Throughput first, then latency and conditions, then which hosts were out of CPU credits or busy with other work, whose
 * round trips were held back, why measurements have no verdict or are not complete, and what a figure would be on EC2 if
 * a model of it was measured. Empty for no measurements.
 * @param width as of `columnTable`
 */
export function verdictTable(measurements: readonly VerdictFacts[], width?: number): string {
  const ofKind = (kind: VerdictFacts['kind']) => measurements.filter((each) => each.kind === kind);
  const throughput = ofKind('throughput');
  const lines = [...models(measurements), ...measurements.flatMap(reasons)];
  return [
    columnTable(throughputTable(throughput), throughput, width),
    columnTable(packetTable, ofKind('packets'), width),
    columnTable(latencyTable, ofKind('latency'), width),
    columnTable(conditionsTable, ofKind('conditions'), width),
    (width === undefined ? lines : lines.flatMap((line) => wrapped(line, width))).join('\n'),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}
