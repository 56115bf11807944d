/** Offline analyses as tables for a terminal, followed by the verdicts' explanations and the warnings. ASCII only. */
import type { AnalysedOutput } from '../analysis/analyse-output';
import type { DrivenDirection } from '../model/settings';
import { conditionsOf, latencyOf, throughputOf } from '../model/statistics';
import type { RttQuantiles, ThroughputStatistics } from '../model/statistics';
import type { HoldTime, Verdict } from '../model/verdict';
import { formatRate } from '../text/format';
import { heldInterval, heldText, refillText } from './wording';
import { columnTable, type TextColumn } from '../text/text-table';

export interface AnalysedFile {
  readonly file: string;
  readonly analysed: AnalysedOutput;
}

/** What stands in a cell without a value. */
const ABSENT = '-';

type Column<Row = AnalysedFile> = TextColumn<Row>;

const subjectColumns: readonly Column[] = [
  { heading: 'file', cell: ({ file }) => file },
  {
    heading: 'tool',
    cell: ({ analysed: { tool, toolVersion } }) => (toolVersion === null ? tool : `${tool} ${toolVersion}`),
  },
  { heading: 'complete', cell: ({ analysed }) => (analysed.complete ? 'yes' : 'no') },
];

/** One direction of a throughput measurement. */
interface DirectionRow extends AnalysedFile {
  readonly direction: string;
  readonly statistics: ThroughputStatistics;
  readonly verdict: Verdict | undefined;
}

const rateColumn = (field: 'mean' | 'p5' | 'p50' | 'p95'): Column<DirectionRow> => ({
  heading: field,
  cell: ({ statistics: { throughputBitsPerSecond: rates } }) =>
    rates?.[field] === undefined ? ABSENT : formatRate(rates[field]),
});

const throughputColumns: readonly Column<DirectionRow>[] = [
  ...subjectColumns,
  { heading: 'direction', cell: ({ direction }) => direction },
  ...(['mean', 'p5', 'p50', 'p95'] as const).map(rateColumn),
  { heading: 'retransmits', cell: ({ statistics }) => statistics.retransmits?.toString() ?? ABSENT },
  {
    heading: 'lost/sent',
    cell: ({ statistics: { lostPackets, sentPackets } }) =>
      lostPackets === undefined ? ABSENT : `${lostPackets}/${sentPackets ?? '?'}`,
  },
  { heading: 'verdict', cell: ({ verdict }) => verdict?.kind ?? ABSENT },
];

const roundTripColumn = (heading: string, field: keyof RttQuantiles): Column => ({
  heading,
  cell: ({ analysed }) => latencyOf(analysed)?.rttMicros?.[field]?.toFixed(1) ?? ABSENT,
});

const roundTripColumns: readonly Column[] = [
  ...subjectColumns,
  roundTripColumn('mean us', 'mean'),
  roundTripColumn('min us', 'min'),
  roundTripColumn('p50 us', 'p50'),
  roundTripColumn('p99 us', 'p99'),
  roundTripColumn('p99.9 us', 'p99_9'),
  roundTripColumn('max us', 'max'),
  { heading: 'observations', cell: ({ analysed }) => latencyOf(analysed)?.observations?.toString() ?? ABSENT },
];

const routeColumns: readonly Column[] = [
  ...subjectColumns,
  { heading: 'hops', cell: ({ analysed }) => conditionsOf(analysed)?.hopCount?.toString() ?? ABSENT },
  { heading: 'path MTU bytes', cell: ({ analysed }) => conditionsOf(analysed)?.pathMtuBytes?.toString() ?? ABSENT },
];

const holdTimeColumns: readonly Column<HoldTime>[] = [
  { heading: 'rate', cell: ({ bitsPerSecond }) => formatRate(bitsPerSecond) },
  { heading: 'held from full credits', cell: heldText },
  { heading: '95 % interval', cell: (hold) => heldInterval(hold) ?? ABSENT },
];

export function analysisTables(files: readonly AnalysedFile[]): string {
  const ofKind = (kind: AnalysedOutput['kind']) => files.filter(({ analysed }) => analysed.kind === kind);
  const notes = files.flatMap((file) => [
    ...verdictsOf(file).map(({ subject, verdict }) => `${subject}: ${verdict.explanation}`),
    ...file.analysed.warnings.map((warning) => `${file.file}: warning: ${warning}`),
  ]);
  return [
    columnTable(throughputColumns, ofKind('throughput').flatMap(directionRows)),
    columnTable(roundTripColumns, ofKind('latency')),
    columnTable(routeColumns, ofKind('conditions')),
    notes.join('\n'),
    ...files.flatMap(verdictsOf).map(holdTimesTable),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

/** Each verdict of a file with its subject, which names the direction where both directions were driven. */
function verdictsOf({ file, analysed: { verdict, otherDirection } }: AnalysedFile) {
  const verdicts = [verdict, otherDirection].filter((each) => each !== null && each !== undefined);
  return verdicts.map((each) => ({
    subject: verdicts.length === 1 ? file : `${file}: ${each.direction}`,
    verdict: each,
  }));
}

function directionRows(file: AnalysedFile): DirectionRow[] {
  const { main, reverse } = throughputOf(file.analysed) ?? {};
  if (main === undefined) return [];
  const verdicts = verdictsOf(file).map(({ verdict }) => verdict);
  if (reverse === undefined) {
    const verdict = verdicts[0];
    return [{ ...file, direction: verdict?.direction ?? ABSENT, statistics: main, verdict }];
  }
  const row = (direction: DrivenDirection, statistics: ThroughputStatistics): DirectionRow => {
    return { ...file, direction, statistics, verdict: verdicts.find((each) => each.direction === direction) };
  };
  return [row('forward', main), row('reverse', reverse)];
}

function holdTimesTable({ subject, verdict }: ReturnType<typeof verdictsOf>[number]): string {
  if (verdict.holdTimes.length === 0) return '';
  const table = columnTable(holdTimeColumns, verdict.holdTimes);
  return `${subject}: how long can a rate be held?\n${table}\n${refillText(verdict)}`;
}
