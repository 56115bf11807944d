/** Offline analyses as tables for a terminal, followed by the verdicts' explanations and the warnings. ASCII only. */
import type { AnalysedOutput } from '../analysis/analyse-output';
import type { DrivenDirection } from '../model/settings';
import {
  conditionsOf,
  latencyOf,
  throughputOf,
  type RttQuantiles,
  type ThroughputStatistics,
} from '../model/statistics';
import { verdictWord, type HoldTime, type Verdict } from '../model/verdict';
import { formatRate, threeDigits, unitOf } from '../text/format';
import { causesByStanding, heldInterval, heldText, modelText, refillText } from '../run/words';
import { columnTable, wrapped, type TextColumn } from '../text/text-table';

export interface AnalysedFile {
  readonly file: string;
  readonly analysed: AnalysedOutput;
}

/** What stands in a cell without a value. */
const ABSENT = '-';

type Column<Row = AnalysedFile> = TextColumn<Row>;

const basename = (file: string) => file.slice(file.lastIndexOf('/') + 1);

const subjectColumns: readonly Column[] = [
  { heading: 'file', cell: ({ file }) => file, brief: { heading: 'file', cell: ({ file }) => basename(file) } },
  {
    heading: 'tool',
    cell: ({ analysed: { tool, toolVersion } }) => (toolVersion === null ? tool : `${tool} ${toolVersion}`),
    rank: 7,
  },
  { heading: 'complete', rank: 8, cell: ({ analysed }) => (analysed.complete ? 'yes' : 'no') },
];

/** One direction of a throughput measurement. */
interface DirectionRow extends AnalysedFile {
  readonly direction: string;
  readonly statistics: ThroughputStatistics;
  readonly verdict: Verdict | undefined;
}

/** With the columns that may be left out first at the highest rank. */
const RATE_RANKS = { mean: undefined, p5: 1, p50: 3, p95: 2 } as const;

function throughputColumns(rows: readonly DirectionRow[]): readonly Column<DirectionRow>[] {
  const rateOf = ({ statistics }: DirectionRow, field: keyof typeof RATE_RANKS) =>
    statistics.throughputBitsPerSecond?.[field];
  const { prefix, size } = unitOf(rows.flatMap((row) => [rateOf(row, 'mean'), rateOf(row, 'p95')]));
  const rateColumn = (field: keyof typeof RATE_RANKS): Column<DirectionRow> => ({
    heading: field === 'mean' ? `mean ${prefix}bit/s` : field,
    alignRight: true,
    cell: (row) => {
      const rate = rateOf(row, field);
      return rate === undefined ? ABSENT : threeDigits(rate / size);
    },
    rank: RATE_RANKS[field],
  });
  return [
    ...subjectColumns,
    { heading: 'direction', cell: ({ direction }) => direction, rank: 6 },
    ...(['mean', 'p5', 'p50', 'p95'] as const).map(rateColumn),
    { heading: 'retransmits', cell: ({ statistics }) => statistics.retransmits?.toString() ?? ABSENT, rank: 5 },
    {
      heading: 'lost/sent',
      cell: ({ statistics: { lostPackets, sentPackets } }) =>
        lostPackets === undefined ? ABSENT : `${lostPackets}/${sentPackets ?? '?'}`,
      rank: 4,
    },
    { heading: 'verdict', cell: ({ verdict }) => (verdict ? verdictWord(verdict) : ABSENT) },
  ];
}

const roundTripColumn = (heading: string, field: keyof RttQuantiles, rank?: number): Column => ({
  heading,
  alignRight: true,
  cell: ({ analysed }) => latencyOf(analysed)?.rttMicros?.[field]?.toFixed(1) ?? ABSENT,
  rank,
});

const roundTripColumns: readonly Column[] = [
  ...subjectColumns,
  roundTripColumn('mean us', 'mean', 3),
  roundTripColumn('min us', 'min', 5),
  roundTripColumn('p50 us', 'p50'),
  roundTripColumn('p99 us', 'p99'),
  roundTripColumn('p99.9 us', 'p99_9', 2),
  roundTripColumn('max us', 'max', 1),
  {
    heading: 'observations',
    alignRight: true,
    cell: ({ analysed }) => latencyOf(analysed)?.observations?.toString() ?? ABSENT,
    rank: 4,
  },
  {
    heading: 'lost',
    alignRight: true,
    cell: ({ analysed }) => latencyOf(analysed)?.droppedMessages?.toString() ?? ABSENT,
    // Round trips without their losses look better than the network is, so few columns outlast this one.
    rank: 1,
  },
];

const routeColumns: readonly Column[] = [
  ...subjectColumns,
  { heading: 'hops', cell: ({ analysed }) => conditionsOf(analysed)?.hopCount?.toString() ?? ABSENT },
  { heading: 'path MTU bytes', cell: ({ analysed }) => conditionsOf(analysed)?.pathMtuBytes?.toString() ?? ABSENT },
];

const holdTimeColumns: readonly Column<HoldTime>[] = [
  { heading: 'rate', cell: ({ bitsPerSecond }) => formatRate(bitsPerSecond) },
  { heading: 'held from full credits', cell: (hold) => heldText(hold) },
  { heading: '95 % interval', cell: (hold) => heldInterval(hold) ?? ABSENT },
];

/** @param width as of `columnTable` */
export function analysisTables(files: readonly AnalysedFile[], width?: number): string {
  const ofKind = (kind: AnalysedOutput['kind']) => files.filter(({ analysed }) => analysed.kind === kind);
  const rows = ofKind('throughput').flatMap(directionRows);
  const notes = files.flatMap((file) => [
    ...verdictsOf(file).flatMap(({ subject, verdict }) => [
      `${subject}: ${verdict.explanation}`,
      ...causesByStanding(verdict).map(({ heading, inWords }) => `  ${heading}: ${inWords}`),
    ]),
    ...file.analysed.warnings.map((warning) => `${file.file}: warning: ${warning}`),
  ]);
  return [
    columnTable(throughputColumns(rows), rows, width),
    columnTable(roundTripColumns, ofKind('latency'), width),
    columnTable(routeColumns, ofKind('conditions'), width),
    fitted(notes, width),
    ...files.flatMap(verdictsOf).map((subject) => holdTimesTable(subject, width)),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

const fitted = (lines: readonly string[], width: number | undefined) =>
  (width === undefined ? lines : lines.flatMap((line) => wrapped(line, width))).join('\n');

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

function holdTimesTable({ subject, verdict }: ReturnType<typeof verdictsOf>[number], width?: number): string {
  // One block, in which everything is conditional, where nothing shows that the drop was one of network credits.
  const condition = verdict.ifNetworkCredits ? 'if these were network credits, ' : '';
  const answered = verdict.ifNetworkCredits ? { ...verdict, ...verdict.ifNetworkCredits } : verdict;
  if (answered.holdTimes.length === 0) return '';
  const title = fitted([`${subject}: ${condition}how long can a rate be held?`], width);
  const text = `${refillText(answered)} ${modelText([answered])}`;
  return `${title}\n${columnTable(holdTimeColumns, answered.holdTimes, width)}\n${fitted([text], width)}`;
}
