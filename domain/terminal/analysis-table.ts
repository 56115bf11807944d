/** Shows offline analyses as tables for a terminal, followed by explanations and warnings. ASCII only. */
import type { AnalysedOutput } from '../analysis/analyse-output';
import type { DrivenDirection } from '../model/settings';
import {
  conditionsOf,
  latencyOf,
  throughputOf,
  type RttQuantiles,
  type ThroughputStatistics,
} from '../model/statistics';
import type { HoldTime, Verdict } from '../model/verdict';
import { formatRate, threeDigits, unitOf } from '../text/format';
import { causesByStanding, heldInterval, heldText, modelText, refillText } from '../run/words';
import { columnTable, type TextColumn } from '../text/text-table';
import { blocks, figures, fitted, verdictColumns, words } from './columns';

export interface AnalysedFile {
  readonly file: string;
  readonly analysed: AnalysedOutput;
}

const ABSENT = '-';

type Column<Row = AnalysedFile> = TextColumn<Row>;

const basename = (file: string) => file.slice(file.lastIndexOf('/') + 1);

const subjectColumns: readonly Column[] = [
  { ...words('file', ({ file }) => file), brief: words('file', ({ file }) => basename(file)) },
  words('tool', ({ analysed: { tool, toolVersion } }) => (toolVersion === null ? tool : `${tool} ${toolVersion}`), 7),
  words('complete', ({ analysed }) => (analysed.complete ? 'yes' : 'no'), 8),
];

interface DirectionRow extends AnalysedFile {
  readonly direction: string;
  readonly statistics: ThroughputStatistics;
  readonly verdict: Verdict | undefined;
}

/** Columns with a rank are left out where the terminal is too narrow, the highest rank first. */
const QUANTILE_RANKS = { p5: 1, p50: 3, p95: 2 } as const;

function throughputColumns(rows: readonly DirectionRow[]): readonly Column<DirectionRow>[] {
  const rateOf = ({ statistics }: DirectionRow, field: 'mean' | keyof typeof QUANTILE_RANKS) =>
    statistics.throughputBitsPerSecond?.[field];
  const levels = ({ verdict }: DirectionRow) => [verdict?.burst?.value, verdict?.baseline?.value];
  const { prefix, size } = unitOf(rows.flatMap((row) => [rateOf(row, 'mean'), rateOf(row, 'p95'), ...levels(row)]));
  const format = (bits: number) => threeDigits(bits / size);
  const quantileColumn = (field: keyof typeof QUANTILE_RANKS) =>
    figures<DirectionRow>(
      field,
      (row) => {
        const rate = rateOf(row, field);
        return rate === undefined ? ABSENT : format(rate);
      },
      QUANTILE_RANKS[field],
    );
  return [
    ...subjectColumns,
    words('direction', ({ direction }) => direction, 6),
    ...verdictColumns(rows, {
      verdictOf: ({ verdict }) => verdict,
      meanOf: (row) => rateOf(row, 'mean'),
      otherwise: () => ABSENT,
      format,
      unit: `${prefix}bit/s`,
    }),
    ...(['p5', 'p50', 'p95'] as const).map(quantileColumn),
    words('retransmits', ({ statistics }) => statistics.retransmits?.toString() ?? ABSENT, 5),
    words(
      'lost/sent',
      ({ statistics: { lostPackets, sentPackets } }) =>
        lostPackets === undefined ? ABSENT : `${lostPackets}/${sentPackets ?? '?'}`,
      4,
    ),
  ];
}

const roundTripColumn = (heading: string, field: keyof RttQuantiles, rank?: number) =>
  figures<AnalysedFile>(heading, ({ analysed }) => latencyOf(analysed)?.rttMicros?.[field]?.toFixed(1) ?? ABSENT, rank);

const countColumn = (heading: string, field: 'observations' | 'droppedMessages', rank: number) =>
  figures<AnalysedFile>(heading, ({ analysed }) => latencyOf(analysed)?.[field]?.toString() ?? ABSENT, rank);

const roundTripColumns: readonly Column[] = [
  ...subjectColumns,
  roundTripColumn('mean us', 'mean', 3),
  roundTripColumn('min us', 'min', 5),
  roundTripColumn('p50 us', 'p50'),
  roundTripColumn('p99 us', 'p99'),
  roundTripColumn('p99.9 us', 'p99_9', 2),
  roundTripColumn('max us', 'max', 1),
  countColumn('observations', 'observations', 4),
  // The column of losses is among the last to be left out, because latency without the losses looks too good.
  countColumn('lost', 'droppedMessages', 1),
];

const routeColumn = (heading: string, field: 'hopCount' | 'pathMtuBytes') =>
  words<AnalysedFile>(heading, ({ analysed }) => conditionsOf(analysed)?.[field]?.toString() ?? ABSENT);

const routeColumns: readonly Column[] = [
  ...subjectColumns,
  routeColumn('hops', 'hopCount'),
  routeColumn('path MTU bytes', 'pathMtuBytes'),
];

const holdTimeColumns: readonly Column<HoldTime>[] = [
  words('rate', ({ bitsPerSecond }) => formatRate(bitsPerSecond)),
  words('held from full credits', (hold) => heldText(hold)),
  words('95 % interval', (hold) => heldInterval(hold) ?? ABSENT),
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
  return blocks([
    columnTable(throughputColumns(rows), rows, width),
    columnTable(roundTripColumns, ofKind('latency'), width),
    columnTable(routeColumns, ofKind('conditions'), width),
    fitted(notes, width),
    ...files.flatMap(verdictsOf).map((subject) => holdTimesTable(subject, width)),
  ]);
}

/** Returns each verdict of a file; its subject names the direction where both directions were driven. */
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
  // Where it is not certain that network credits caused the drop, the whole table is conditional.
  const condition = verdict.ifNetworkCredits ? 'if the cause is network credits, ' : '';
  const answered = verdict.ifNetworkCredits ? { ...verdict, ...verdict.ifNetworkCredits } : verdict;
  if (answered.holdTimes.length === 0) return '';
  const title = fitted([`${subject}: ${condition}how long can a rate be held?`], width);
  const text = `${refillText(answered)} ${modelText([answered])}`;
  return `${title}\n${columnTable(holdTimeColumns, answered.holdTimes, width)}\n${fitted([text], width)}`;
}
