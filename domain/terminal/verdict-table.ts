/** Shows verdicts as tables for a terminal, in ASCII. */
import { groupBy } from '../maths/elements';
import type { Interval } from '../maths/interval';
import { displacedWord } from '../model/cell';
import { cpuCreditsInWords } from '../model/conditions';
import { heldBackBy, verdictWord } from '../model/verdict';
import { scaledModelInWords } from '../model/scaled-model';
import { settingsInWords } from '../model/settings';
import { conditionsOf, drivenStatistics, packetsOf, rttOf, type RttQuantiles } from '../model/statistics';
import { intervalText } from '../run/words';
import { kilopackets, seconds, threeDigits, unitOf, type Unit } from '../text/format';
import { printable } from '../text/printable';
import { columnTable, type TextColumn } from '../text/text-table';
import { blocks, figures, fitted, words } from './columns';
import { plain, plainMicros, remarksOn, withInterval, type VerdictFacts } from './verdict-line';

type Column = TextColumn<VerdictFacts>;

const subjectColumns: readonly Column[] = [
  words('measurement', (facts) => facts.measurementId),
  { ...words('client', (facts) => facts.clientType), brief: words('types', typesText) },
  { ...words('server', (facts) => facts.serverType), brief: null },
  words('where', whereText, 6),
];

function typesText({ clientType, serverType }: VerdictFacts): string {
  return clientType === serverType ? clientType : `${clientType} to ${serverType}`;
}

/** `same_zone private cluster standard_cpu_credits`; the defaults (no placement group, no ENA Express) are left out. */
function whereText(facts: VerdictFacts): string {
  const { zoneRelation, path, placement, enaExpress } = facts;
  const group = placement === 'none' ? undefined : placement;
  const express = enaExpress === 'off' ? undefined : `ena_express_${enaExpress}`;
  const credits = cpuCreditsInWords(facts).map((words) => words.toLowerCase().replaceAll(' ', '_'));
  return [zoneRelation, path, group, express, ...credits, displacedWord(facts)].filter(Boolean).join(' ');
}

/** The last columns of each table; `measured` has the longest text. */
const lastColumns: readonly Column[] = [
  words('status', (facts) => facts.status, 8),
  words('measured', (facts) => plain(`${facts.tool} ${settingsInWords(facts)}`), 9),
];

/** A column with a figure and its interval; in a narrow terminal it shows only the figure. */
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
    words('verdict', ({ verdict, status }) => (verdict ? verdictWord(verdict) : status)),
    figures(`mean ${rates.prefix}bit/s`, (facts) => rate(meanOf(facts))),
    figures('burst', ({ verdict }) => rate(verdict?.burst?.value), 1),
    figures('baseline', ({ verdict }) => rate(verdict?.baseline?.value), 2),
    intervalColumn('onset s', 3, ({ verdict }) => verdict?.onset, seconds),
    intervalColumn(`bucket ${volumes.prefix}bit`, 4, ({ verdict }) => verdict?.bucket, bits(volumes), atLeast),
    words('credits of', ({ verdict }) => verdict?.throttledBy ?? undefined, 5),
    figures('confidence', ({ verdict }) => verdict?.confidence?.toFixed(2), 7),
    ...lastColumns,
  ];
}

const rttColumn = (heading: string, key: keyof RttQuantiles, rank?: number) =>
  figures<VerdictFacts>(heading, (facts) => plainMicros(rttOf(facts)?.[key]), rank);

const latencyTable: readonly Column[] = [
  ...subjectColumns,
  rttColumn('rtt us p50', 'p50'),
  rttColumn('p90', 'p90', 3),
  rttColumn('p99', 'p99'),
  rttColumn('p99.9', 'p99_9', 2),
  rttColumn('max', 'max', 1),
  words('held back by', heldBackBy, 5),
  ...lastColumns,
];

const packetTable: readonly Column[] = [
  ...subjectColumns,
  words('verdict', ({ packetVerdict, status }) => (packetVerdict ? verdictWord(packetVerdict) : status)),
  figures('mean k packets/s', (facts) => kilopackets(packetsOf(facts)?.packetsPerSecond?.mean)),
  figures('burst', ({ packetVerdict }) => kilopackets(packetVerdict?.burst?.value), 1),
  intervalColumn('carried to the end', 2, ({ packetVerdict }) => packetVerdict?.baseline, kilopackets),
  intervalColumn('onset s', 3, ({ packetVerdict }) => packetVerdict?.onset, seconds),
  words('limited by', ({ packetVerdict }) => packetVerdict?.limitedBy ?? undefined, 4),
  figures('confidence', ({ packetVerdict }) => packetVerdict?.confidence?.toFixed(2), 7),
  ...lastColumns,
];

const routeColumn = (heading: string, field: 'hopCount' | 'pathMtuBytes') =>
  figures<VerdictFacts>(heading, (facts) => conditionsOf(facts)?.[field]?.toFixed(0));

const conditionsTable: readonly Column[] = [
  ...subjectColumns,
  routeColumn('hops', 'hopCount'),
  routeColumn('path MTU bytes', 'pathMtuBytes'),
  ...lastColumns,
];

/** Returns one line per caveat, with all measurements that have it. */
function reasons(measurements: readonly VerdictFacts[]): string[] {
  const found = measurements.flatMap((facts) => {
    const { withheldCpu, contention, heldBack, notJudged, notComplete, onEc2 } = remarksOn(facts);
    const lines = [withheldCpu, contention, heldBack, notJudged && `insufficient: ${notJudged}`, notComplete, onEc2];
    return lines.filter((line) => line !== '').map((line) => ({ line, id: facts.measurementId }));
  });
  // How long so many samples took differs by a tenth of a second.
  const same = groupBy(found, ({ line }) => line.replace(OVER_SECONDS, '$1'));
  return [...same].map(([line, all]) => {
    const ids = all.map(({ id }) => id);
    const named = ids.length > MOST_NAMED ? [...ids.slice(0, MOST_NAMED), `${ids.length - MOST_NAMED} others`] : ids;
    return printable(`${named.join(', ')}: ${all.length === 1 ? all[0].line : line}`);
  });
}

const OVER_SECONDS = /^(insufficient: \d+ samples) over [\d.]+ s/;
const MOST_NAMED = 40;

/**
 * Returns a table for each kind of measurement, followed by the caveats of the measurements (`remarksOn`).
 * @param width as of `columnTable`
 */
export function verdictTable(measurements: readonly VerdictFacts[], width?: number): string {
  const ofKind = (kind: VerdictFacts['kind']) => measurements.filter((each) => each.kind === kind);
  const throughput = ofKind('throughput');
  const models = measurements.flatMap(({ scaledModel }) => (scaledModel ? [scaledModelInWords(scaledModel)] : []));
  return blocks([
    columnTable(throughputTable(throughput), throughput, width),
    columnTable(packetTable, ofKind('packets'), width),
    columnTable(latencyTable, ofKind('latency'), width),
    columnTable(conditionsTable, ofKind('conditions'), width),
    fitted([...new Set(models), ...reasons(measurements)], width),
  ]);
}
