/** The verdicts as tables for a terminal. ASCII: some consoles show no more. */
import type { Interval } from '../maths/interval';
import { displacedWord } from '../model/cell';
import { cpuCreditsInWords } from '../model/conditions';
import { heldBackBy } from '../model/latency-verdict';
import { scaledModelInWords } from '../model/scaled-model';
import { settingsInWords } from '../model/settings';
import { conditionsOf, drivenStatistics, packetsOf, rttOf, type RttQuantiles } from '../model/statistics';
import { verdictWord } from '../model/verdict';
import { intervalText } from '../run/words';
import { kilopackets, seconds, threeDigits, unitOf, type Unit } from '../text/format';
import { printable } from '../text/printable';
import { columnTable, wrapped, type TextColumn } from '../text/text-table';
import {
  contention,
  onEc2InWords,
  plain,
  plainMicros,
  whyHeldBack,
  whyNotComplete,
  whyNotJudged,
  withheldCpu,
  withInterval,
  type VerdictFacts,
} from './verdict-line';

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
