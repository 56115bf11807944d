/** Shows verdicts as tables for a terminal, in ASCII. */
import { groupBy } from '../maths/elements';
import { displacedWord } from '../model/cell';
import { cpuCreditsInWords } from '../model/conditions';
import { heldBackBy } from '../model/verdict';
import { scaledModelInWords } from '../model/scaled-model';
import { settingsInWords } from '../model/settings';
import { conditionsOf, drivenStatistics, packetsOf, rttOf, type RttQuantiles } from '../model/statistics';
import { kilopackets, threeDigits, unitOf, type Unit } from '../text/format';
import { printable } from '../text/printable';
import { columnTable, type TextColumn } from '../text/text-table';
import { blocks, figures, fitted, intervalColumn, verdictColumns, words } from './columns';
import { plain, plainMicros, remarksOn, type VerdictFacts } from './verdict-line';

type Column = TextColumn<VerdictFacts>;

const subjectColumns: readonly Column[] = [
  {
    ...words('measurement', (facts) => facts.measurementId, 0),
    brief: { heading: 'id', cell: (facts) => facts.measurementId },
  },
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

const bits =
  ({ size }: Unit) =>
  (value: number) =>
    threeDigits(value / size);

function throughputTable(measurements: readonly VerdictFacts[]): readonly Column[] {
  const meanOf = (facts: VerdictFacts) => drivenStatistics(facts)?.throughputBitsPerSecond?.mean;
  const levels = ({ verdict }: VerdictFacts) => [verdict?.burst?.value, verdict?.baseline?.value];
  const rates = unitOf(measurements.flatMap((facts) => [meanOf(facts), ...levels(facts)]));
  const volumes = unitOf(measurements.map(({ verdict }) => verdict?.bucket?.value ?? verdict?.bucketBitsAtLeast));
  const atLeast = ({ verdict }: VerdictFacts) => {
    const least = verdict?.bucketBitsAtLeast;
    return least === undefined || least === null ? undefined : `>= ${bits(volumes)(least)}`;
  };
  return [
    ...subjectColumns,
    ...verdictColumns(measurements, {
      verdictOf: ({ verdict }) => verdict,
      meanOf,
      otherwise: ({ status }) => status,
      format: bits(rates),
      unit: `${rates.prefix}bit/s`,
    }),
    intervalColumn(`bucket ${volumes.prefix}bit`, ({ verdict }) => verdict?.bucket, bits(volumes), {
      rank: 4,
      insteadOf: atLeast,
    }),
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

const packetTable = (measurements: readonly VerdictFacts[]): readonly Column[] => [
  ...subjectColumns,
  ...verdictColumns(measurements, {
    verdictOf: ({ packetVerdict }) => packetVerdict,
    meanOf: (facts) => packetsOf(facts)?.packetsPerSecond?.mean,
    otherwise: ({ status }) => status,
    format: kilopackets,
    unit: 'k packets/s',
    baseline: intervalColumn('carried to the end', ({ packetVerdict }) => packetVerdict?.baseline, kilopackets),
  }),
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

/** Returns each caveat once, with the measurements that it is about. */
function caveats(measurements: readonly VerdictFacts[]): string[] {
  const found = measurements.flatMap((facts) => reasons(facts).map((line) => ({ line, id: facts.measurementId })));
  // How long so many samples took differs by a tenth of a second.
  const alike = groupBy(found, ({ line }) => line.replace(OVER_SECONDS, '$1'));
  return [...alike].map(([line, about]) =>
    printable(`${namesOf(about.map(({ id }) => id))}: ${about.length === 1 ? about[0].line : line}`),
  );
}

/** `p0001-m01, p0002-m01 and 15 more` */
function namesOf(ids: readonly string[]): string {
  const shown = ids.length > 3 ? [...ids.slice(0, 2), `${ids.length - 2} more`] : ids;
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(Boolean).join(' and ');
}

function reasons(facts: VerdictFacts): string[] {
  const { withheldCpu, contention, heldBack, notJudged, notComplete, onEc2 } = remarksOn(facts);
  const lines = [withheldCpu, contention, heldBack, notJudged && `insufficient: ${notJudged}`, notComplete, onEc2];
  return lines.filter((line) => line !== '');
}

const OVER_SECONDS = /^(insufficient: \d+ samples) over [\d.]+ s/;

/**
 * Returns a table for each kind of measurement, followed by the caveats of the measurements (`remarksOn`).
 * @param width as of `columnTable`
 */
export function verdictTable(measurements: readonly VerdictFacts[], width?: number): string {
  const ofKind = (kind: VerdictFacts['kind']) => measurements.filter((each) => each.kind === kind);
  const [throughput, packets] = [ofKind('throughput'), ofKind('packets')];
  const models = measurements.flatMap(({ scaledModel }) => (scaledModel ? [scaledModelInWords(scaledModel)] : []));
  return blocks([
    columnTable(throughputTable(throughput), throughput, width),
    columnTable(packetTable(packets), packets, width),
    columnTable(latencyTable, ofKind('latency'), width),
    columnTable(conditionsTable, ofKind('conditions'), width),
    fitted([...new Set(models), ...caveats(measurements)], width),
  ]);
}
