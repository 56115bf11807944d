/** Offline analyses as tables for a terminal, with what the numbers mean and what to beware of beneath. ASCII only. */
import type { AnalysedOutput } from '../analysis/analyse-output';
import { conditionsOf, latencyOf, throughputOf, type ThroughputStatistics } from '../model/statistics';
import type { Verdict } from '../model/verdict';
import { formatRate } from '../text/format';
import { textTable } from '../text/text-table';
import { heldInterval, heldText, refillText } from './hold-time-text';

export interface AnalysedFile {
  readonly file: string;
  readonly analysed: AnalysedOutput;
}

type Cells = readonly string[];

const THROUGHPUT_HEADER: Cells = [
  'file',
  'tool',
  'complete',
  'direction',
  'mean',
  'p5',
  'p50',
  'p95',
  'retransmits',
  'lost/sent',
  'verdict',
];
const ROUND_TRIP_HEADER: Cells = [
  'file',
  'tool',
  'complete',
  'mean us',
  'min us',
  'p50 us',
  'p99 us',
  'p99.9 us',
  'max us',
  'observations',
];

const ROUTE_HEADER: Cells = ['file', 'tool', 'complete', 'hops', 'path MTU bytes'];

export function analysisTables(files: readonly AnalysedFile[]): string {
  const throughput = files.filter(({ analysed }) => analysed.kind === 'throughput').flatMap(throughputRows);
  const roundTrips = files.filter(({ analysed }) => analysed.kind === 'latency').map(roundTripRow);
  const routes = files.filter(({ analysed }) => analysed.kind === 'conditions').map(routeRow);
  const tables = [
    ...(throughput.length > 0 ? [ruledTable(THROUGHPUT_HEADER, throughput)] : []),
    ...(roundTrips.length > 0 ? [ruledTable(ROUND_TRIP_HEADER, roundTrips)] : []),
    ...(routes.length > 0 ? [ruledTable(ROUTE_HEADER, routes)] : []),
  ];
  const notes = files.flatMap(({ file, analysed }) => [
    ...(analysed.verdict === null ? [] : [`${file}: ${analysed.verdict.explanation}`]),
    ...analysed.warnings.map((warning) => `${file}: warning: ${warning}`),
  ]);
  const answers = files.flatMap(({ file, analysed }) =>
    analysed.verdict === null ? [] : holdTimesTable(file, analysed.verdict),
  );
  return [...tables, ...(notes.length > 0 ? [notes.join('\n')] : []), ...answers].join('\n\n');
}

function throughputRows({ file, analysed }: AnalysedFile): Cells[] {
  const { verdict } = analysed;
  const row = (direction: string, statistics: ThroughputStatistics): Cells => {
    const rates = statistics.throughputBitsPerSecond;
    const isJudged = verdict !== null && (direction === '' || verdict.direction === direction);
    return [
      ...subject(file, analysed),
      direction === '' ? (verdict?.direction ?? '-') : direction,
      ...[rates?.mean, rates?.p5, rates?.p50, rates?.p95].map((rate) => (rate === undefined ? '-' : formatRate(rate))),
      statistics.retransmits?.toString() ?? '-',
      statistics.lostPackets === undefined ? '-' : `${statistics.lostPackets}/${statistics.sentPackets ?? '?'}`,
      isJudged ? verdict.kind : '-',
    ];
  };
  const throughput = throughputOf(analysed);
  if (throughput === undefined) return [];
  const { main, reverse } = throughput;
  return reverse === undefined ? [row('', main)] : [row('forward', main), row('reverse', reverse)];
}

function roundTripRow({ file, analysed }: AnalysedFile): Cells {
  const latency = latencyOf(analysed);
  const rtt = latency?.rttMicros;
  return [
    ...subject(file, analysed),
    ...[rtt?.mean, rtt?.min, rtt?.p50, rtt?.p99, rtt?.p99_9, rtt?.max].map((micros) => micros?.toFixed(1) ?? '-'),
    latency?.observations?.toString() ?? '-',
  ];
}

function routeRow({ file, analysed }: AnalysedFile): Cells {
  const route = conditionsOf(analysed);
  return [...subject(file, analysed), route?.hopCount?.toString() ?? '-', route?.pathMtuBytes?.toString() ?? '-'];
}

const HOLD_TIME_HEADER: Cells = ['rate', 'held from full credits', '95 % interval'];

function holdTimesTable(file: string, verdict: Verdict): string[] {
  if (verdict.holdTimes.length === 0) return [];
  const rows = verdict.holdTimes.map((hold) => [
    formatRate(hold.bitsPerSecond),
    heldText(hold),
    heldInterval(hold) ?? '-',
  ]);
  return [`${file}: how long can a rate be held?\n${ruledTable(HOLD_TIME_HEADER, rows)}\n${refillText(verdict)}`];
}

function subject(file: string, { tool, toolVersion, complete }: AnalysedOutput): Cells {
  return [file, toolVersion === null ? tool : `${tool} ${toolVersion}`, complete ? 'yes' : 'no'];
}

function ruledTable(headings: Cells, rows: readonly Cells[]): string {
  return textTable(headings, rows, { hasRule: true });
}
