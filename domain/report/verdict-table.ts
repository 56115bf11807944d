/**
 * The verdicts in plain text: one line per measurement for the execution's output, and tables for a terminal. ASCII
 * only, because not every console shows more. The report has the same figures, with more detail.
 */
import type { MeasurementResult } from '../model/result';
import { settingsInWords, type MeasurementSettings } from '../model/settings';
import { percentileName } from '../model/percentiles';
import { conditionsOf, latencyOf, throughputOf } from '../model/statistics';
import type { RttQuantiles, ThroughputStatistics } from '../model/statistics';
import { gigabits, seconds } from '../text/format';
import { intervalText, type IntervalText } from './interval-text';
import { columnTable, type TextColumn } from './column-table';

/** What a line needs. Both a `MeasurementResult` and a measurement of `summary.json` have it. */
export type VerdictFacts = MeasurementSettings &
  Pick<
    MeasurementResult,
    | 'measurementId'
    | 'tool'
    | 'kind'
    | 'clientType'
    | 'serverType'
    | 'zoneRelation'
    | 'path'
    | 'placement'
    | 'enaExpress'
    | 'status'
    | 'statistics'
    | 'verdict'
  > &
  Partial<Pick<MeasurementResult, 'reason'>>;

/**
 * `p0001-m02 c5.xlarge to c5.9xlarge, same_zone: burst_then_throttle: 1.00 Gbit/s until 22.2 s (22.1 to 22.4), then …`
 */
export function verdictLine(facts: VerdictFacts): string {
  const subject = `${facts.measurementId} ${facts.clientType} to ${facts.serverType}, ${facts.zoneRelation}`;
  const parts = [finding(facts)];
  if (facts.status !== 'complete') parts.push([facts.status, facts.reason].filter(Boolean).join(': '));
  return `${subject}: ${parts.filter(Boolean).join('; ')}`;
}

function finding(facts: VerdictFacts): string {
  const { verdict } = facts;
  if (verdict === null) return facts.kind === 'latency' ? roundTrips(facts) : '';
  if (verdict.onset === null) {
    const mean = gigabits(drivenStatistics(facts)?.throughputBitsPerSecond?.mean);
    const atLeast = gigabits(verdict.bucketBitsAtLeast);
    const bucket = atLeast === undefined ? '' : `, bucket at least ${atLeast} Gbit`;
    return mean === undefined ? verdict.kind : `${verdict.kind}: ${mean} Gbit/s${bucket}`;
  }
  const bucket = bucketText(facts);
  const owner = verdict.throttledBy === null ? '' : `${verdict.throttledBy}'s `;
  return [
    `${verdict.kind}: ${gigabits(verdict.burst?.value) ?? '?'} Gbit/s until ${onsetText(facts)} s`,
    `then ${gigabits(verdict.baseline?.value) ?? '?'} Gbit/s`,
    ...(bucket === undefined ? [] : [`${owner}bucket ${bucket} Gbit`]),
    `confidence ${verdict.confidence.toFixed(2)}`,
  ].join(', ');
}

function roundTrips(facts: VerdictFacts): string {
  const rtt = rttOf(facts);
  if (rtt === undefined) return '';
  return `round trip ${RTT_SHOWN.filter((field) => rtt[field] !== undefined)
    .map((field) => `${field === 'max' ? field : percentileName(field)} ${plainMicros(rtt[field])}`)
    .join(', ')} us`;
}

const RTT_SHOWN = ['p50', 'p99', 'p99_9', 'max'] as const;

/** The round trips of a latency measurement; other kinds have none. */
export function rttOf(facts: Pick<VerdictFacts, 'kind' | 'statistics'>): RttQuantiles | undefined {
  return latencyOf(facts)?.rttMicros;
}

/** The statistics of the direction that the verdict is about. */
export function drivenStatistics(
  facts: Pick<VerdictFacts, 'kind' | 'statistics' | 'verdict'>,
): ThroughputStatistics | undefined {
  const throughput = throughputOf(facts);
  return facts.verdict?.direction === 'reverse' ? (throughput?.reverse ?? throughput?.main) : throughput?.main;
}

/** `22.2 (22.1 to 22.4)` */
function onsetText({ verdict }: VerdictFacts): string {
  return inOneLine(intervalText(verdict?.onset, seconds)) ?? '';
}

function inOneLine(figure: IntervalText | undefined): string | undefined {
  if (figure?.low === undefined || figure.high === undefined) return figure?.value;
  return `${figure.value} (${figure.low} to ${figure.high})`;
}

const plainMicros = (value: number | undefined) =>
  value === undefined ? '' : value < 100 ? value.toFixed(1) : value.toFixed(0);

type Column = TextColumn<VerdictFacts>;

const subjectColumns: readonly Column[] = [
  { heading: 'measurement', cell: (facts) => facts.measurementId },
  { heading: 'client', cell: (facts) => facts.clientType },
  { heading: 'server', cell: (facts) => facts.serverType },
  { heading: 'where', cell: whereText },
];

/** The last column of each table, because its text is the longest. */
const measuredColumn: Column = { heading: 'measured', cell: measuredText };

/** `same_zone private cluster`. No placement group and ENA Express off are the usual conditions and are left out. */
function whereText({ zoneRelation, path, placement, enaExpress }: VerdictFacts): string {
  const group = placement === 'none' ? [] : [placement];
  return [zoneRelation, path, ...group, ...(enaExpress === 'off' ? [] : [`ena_express_${enaExpress}`])].join(' ');
}

/** The words group digits by a narrow space, which is not ASCII; here a plain space replaces it. */
function measuredText(facts: VerdictFacts): string {
  return `${facts.tool} ${settingsInWords(facts)}`.replace(/[^ -~]/g, ' ');
}

const conditionsTable: readonly Column[] = [
  ...subjectColumns,
  { heading: 'hops', alignRight: true, cell: (facts) => wholeText(conditionsOf(facts)?.hopCount) },
  { heading: 'path MTU bytes', alignRight: true, cell: (facts) => wholeText(conditionsOf(facts)?.pathMtuBytes) },
  { heading: 'status', cell: (facts) => facts.status },
  measuredColumn,
];

const wholeText = (value: number | undefined) => value?.toFixed(0);

const throughputTable: readonly Column[] = [
  ...subjectColumns,
  { heading: 'verdict', cell: (facts) => facts.verdict?.kind ?? facts.status },
  {
    heading: 'mean Gbit/s',
    alignRight: true,
    cell: (facts) => gigabits(drivenStatistics(facts)?.throughputBitsPerSecond?.mean),
  },
  { heading: 'burst', alignRight: true, cell: (facts) => gigabits(facts.verdict?.burst?.value) },
  { heading: 'baseline', alignRight: true, cell: (facts) => gigabits(facts.verdict?.baseline?.value) },
  { heading: 'onset s (95 %)', cell: onsetText },
  { heading: 'bucket Gbit (95 %)', cell: bucketText },
  { heading: 'credits of', cell: (facts) => facts.verdict?.throttledBy ?? undefined },
  { heading: 'confidence', alignRight: true, cell: (facts) => facts.verdict?.confidence.toFixed(2) },
  { heading: 'status', cell: (facts) => facts.status },
  measuredColumn,
];

function bucketText({ verdict }: VerdictFacts): string | undefined {
  const exact = intervalText(verdict?.bucket, gigabits);
  if (exact !== undefined) return inOneLine(exact);
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  return atLeast && `>= ${atLeast}`;
}

const rttColumn = (heading: string, key: keyof RttQuantiles): Column => ({
  heading,
  alignRight: true,
  cell: (facts) => plainMicros(rttOf(facts)?.[key]),
});

const latencyTable: readonly Column[] = [
  ...subjectColumns,
  rttColumn('rtt us p50', 'p50'),
  rttColumn('p90', 'p90'),
  rttColumn('p99', 'p99'),
  rttColumn('p99.9', 'p99_9'),
  rttColumn('max', 'max'),
  { heading: 'status', cell: (facts) => facts.status },
  measuredColumn,
];

/** Throughput first, then latency and conditions, then why measurements are not complete. Empty for no measurements. */
export function verdictTable(measurements: readonly VerdictFacts[]): string {
  const throughput = measurements.filter((each) => each.kind === 'throughput');
  const latency = measurements.filter((each) => each.kind === 'latency');
  const conditions = measurements.filter((each) => each.kind === 'conditions');
  const reasons = measurements
    .filter((each) => each.status !== 'complete')
    .map((each) => `${each.measurementId}: ${[each.status, each.reason].filter(Boolean).join(': ')}`);
  return [
    columnTable(throughputTable, throughput),
    columnTable(latencyTable, latency),
    columnTable(conditionsTable, conditions),
    reasons.join('\n'),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}
