/** A forecast as plain text: a line for each measurement of each pair, the price by its parts, the warnings. */
import { elementAt, groupBy, zip } from '../maths/elements';
import { sum } from '../maths/statistics';
import { cpuCreditsInWords } from '../model/conditions';
import { PRICE_PARTS, sumOrUnknown, totalUsd, type PriceSplit } from '../model/cost';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { grouped, spaced, threeDigits, unitOf } from '../text/format';
import { columnTable, textTable, wrapped, type CellsOfColumn, type TextColumn } from '../text/text-table';
import type { BulkForecast } from './forecast-bulk';
import type { MeasurementForecast, RunForecast } from './forecast-run';
import { range, type Range } from './range';
import { onsetText, planWarnings, warningLines, type HostFacts } from './warnings';

const UNKNOWN = 'unknown';

/** How the forecast's text describes the parts of the plan. */
export interface PlanWords extends HostFacts {
  readonly labelOf: (measurement: PlannedMeasurement) => string;
  /** Whether the zone relation is only assumed, because the zones of the hosts are not known. */
  readonly isZoneRelationUnknown: (pair: PlannedPair) => boolean;
}

/** @param width as in `columnTable`; if absent, the text does not depend on a terminal */
export function renderForecast(
  forecast: RunForecast,
  pairs: readonly PlannedPair[],
  words: PlanWords,
  width?: number,
): string {
  const warnings = warningLines(planWarnings(forecast, pairs, words));
  const launched = pairs.filter(isLaunched).length;
  const prices =
    `${grouped(launched)} of ${grouped(pairs.length)} pairs would be launched. The prices are ${forecast.priceList}, before tax ` +
    'and discounts; s3 includes a year of storage. "At most" assumes that every command and wait takes its whole time ' +
    'limit, traffic flows at the peak rate, and functions run three times';
  const fitted = (lines: readonly string[]) =>
    width === undefined ? lines : lines.flatMap((line) => wrapped(line, width));
  const lines = measurementLines(forecast, pairs);
  const rows = [...lines, restOf(forecast, lines)];
  return [
    columnTable(rowColumns(lines, words), rows, width, { hasRule: false }),
    '',
    textTable(['price in USD', 'expected', 'at most'], priceRows(forecast), { isRightAligned: (column) => column > 0 }),
    '',
    ...fitted([prices]),
    ...(warnings.length === 0 ? [] : ['', ...fitted(warnings)]),
    '',
  ].join('\n');
}

interface Line {
  readonly pair: PlannedPair;
  readonly planned: PlannedMeasurement;
  readonly measurement: MeasurementForecast;
  /** How many repetitions share the line. */
  readonly count: number;
}

/** What the run costs besides its measurements, so that the rows, as they are printed, add up to the total. */
interface Rest {
  readonly rest: Range<number | null>;
}

function restOf(forecast: RunForecast, lines: readonly Line[]): Rest {
  const cents = (usd: number | null) => (usd === null ? null : Math.round(usd * 100));
  const rest = range((bound) => {
    const total = cents(totalUsd(forecast.price[bound]));
    const shown = sumOrUnknown(
      lines.map(({ measurement, count }) => {
        const each = totalUsd(measurement.price[bound]);
        return cents(each === null ? null : count * each);
      }),
    );
    return total === null || shown === null ? null : (total - shown) / 100;
  });
  return { rest };
}

/** In the order of the plan; repetitions share a line. */
function measurementLines(forecast: RunForecast, pairs: readonly PlannedPair[]): Line[] {
  const all = zip(forecast.pairs, pairs).flatMap(([{ measurements }, pair]) =>
    zip(measurements, pair.measurements).map(([measurement, planned]) => ({ pair, planned, measurement })),
  );
  const placeOf = ({ pair, planned }: Omit<Line, 'count'>) =>
    [pair.planPairIndex, planned.planMeasurementIndex] as const;
  const lines = groupBy(all, (each) => placeOf(each).join(' '));
  return [...lines.values()]
    .map((repetitions) => ({ ...repetitions[0], count: repetitions.length }))
    .sort((one, other) => placeOf(one)[0] - placeOf(other)[0] || placeOf(one)[1] - placeOf(other)[1]);
}

/** The columns of the measurements, in which the rest has its name and its price. */
function rowColumns(lines: readonly Line[], words: PlanWords): readonly TextColumn<Line | Rest>[] {
  const restCells: Readonly<Record<string, (rest: Range<number | null>) => string>> = {
    'client → server': () => 'start and end of the hosts, storage, report',
    USD: ({ expected }) => usd(expected, 1),
    'USD at most': ({ upper }) => usd(upper, 1),
  };
  const cellOf = ({ heading, cell }: CellsOfColumn<Line>) => ({
    heading,
    cell: (row: Line | Rest) => ('rest' in row ? restCells[heading]?.(row.rest) : cell(row)),
  });
  return measurementColumns(lines, words).map(({ brief, ...column }) => ({
    ...column,
    ...cellOf(column),
    brief: brief && cellOf(brief),
  }));
}

function measurementColumns(lines: readonly Line[], words: PlanWords): readonly TextColumn<Line>[] {
  const unit = unitOf(lines.map(({ measurement: { bulk } }) => bulk?.peakBitsPerSecond ?? bulk?.burstBitsPerSecond));
  const rate = (bits: number | null) => (bits === null ? UNKNOWN : threeDigits(bits / unit.size));
  const expected = ({ sustainedBitsPerSecond: low, burstBitsPerSecond: high }: BulkForecast) =>
    low === high ? rate(low) : `${rate(high)}, then ${rate(low)}`;
  const lasts = ({ onset }: BulkForecast) =>
    onset.kind === 'at' ? onsetText(onset) : onset.kind === 'none' ? 'no throttle' : onset.kind;
  const ofBulk = (heading: string, text: (bulk: BulkForecast) => string, rank?: number, otherwise?: string) => ({
    heading,
    cell: ({ measurement: { notApplicable, bulk } }: Line) =>
      notApplicable === undefined ? bulk && text(bulk) : otherwise,
    rank,
  });
  const amount = (heading: string, text: (line: Line) => string, rank?: number) => ({
    heading,
    alignRight: true,
    cell: (line: Line) => (line.measurement.notApplicable === undefined ? text(line) : undefined),
    rank,
  });
  return [
    {
      heading: 'client → server',
      cell: ({ pair: { clientType, serverType } }) => `${clientType} → ${serverType}`,
      brief: {
        heading: 'types',
        cell: ({ pair: { clientType, serverType } }) =>
          clientType === serverType ? clientType : `${clientType} → ${serverType}`,
      },
    },
    { heading: 'where', cell: ({ pair }) => whereText(pair, words), rank: 2 },
    measurementColumn(lines, words),
    ofBulk(
      `documented baseline to burst ${unit.prefix}bit/s`,
      (bulk) => `${rate(bulk.baselineBitsPerSecond)} to ${rate(bulk.peakBitsPerSecond)}`,
      4,
    ),
    {
      ...ofBulk(
        'burst lasts',
        (bulk) => `${lasts(bulk)}${bulk.onset.kind === 'at' ? ` (${spaced(bulk.onset.source)})` : ''}`,
        undefined,
        'not applicable',
      ),
      brief: ofBulk('burst lasts', lasts, undefined, 'not applicable'),
    },
    ofBulk(`expected ${unit.prefix}bit/s`, expected),
    ofBulk('seen', ({ canShow }) => (canShow === 'nothing_to_show' ? '' : canShow), 5),
    amount('GB', ({ measurement: { bytes }, count }) => gigabytes(bytes.expected, count), 6),
    amount('GB at most', ({ measurement: { bytes }, count }) => gigabytes(bytes.upper, count), 7),
    amount('USD', ({ measurement: { price }, count }) => usd(totalUsd(price.expected), count), 1),
    amount('USD at most', ({ measurement: { price }, count }) => usd(totalUsd(price.upper), count), 3),
  ];
}

/** In a narrow table, a measurement has the tool, and only those settings in which the lines of the tool differ. */
function measurementColumn(lines: readonly Line[], { labelOf }: PlanWords): TextColumn<Line> {
  const partsOf = ({ planned }: Line) => labelOf(planned).split(', ');
  const isShared = (part: string, { planned: { tool } }: Line) =>
    lines.every((other) => other.planned.tool !== tool || partsOf(other).includes(part));
  const times = ({ count }: Line) => (count === 1 ? '' : ` ×${grouped(count)}`);
  const briefly = (line: Line) =>
    partsOf(line)
      .filter((part, index) => index === 0 || !isShared(part, line))
      .join(', ');
  return {
    heading: 'measurement',
    cell: (line) => labelOf(line.planned) + times(line),
    brief: { heading: 'measurement', cell: (line) => briefly(line) + times(line) },
  };
}

function whereText(pair: PlannedPair, { isZoneRelationUnknown }: PlanWords): string {
  const { zoneRelation, placement, path, enaExpress } = pair;
  return [
    `${spaced(zoneRelation)}${isZoneRelationUnknown(pair) ? ' (assumed)' : ''}`,
    path,
    ...(placement === 'none' ? [] : [placement]),
    ...(enaExpress === 'off' ? [] : [`ENA Express ${spaced(enaExpress)}`]),
    ...cpuCreditsInWords(pair),
  ].join(', ');
}

function priceRows({ price, expectedUsd, upperUsd }: RunForecast): string[][] {
  const words = (part: string) => part.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const [expected, upper] = [partsInCents(price.expected), partsInCents(price.upper)];
  return [
    ...PRICE_PARTS.map((part, index) => [
      words(part),
      usd(elementAt(expected, index), 1),
      usd(elementAt(upper, index), 1),
    ]),
    ['total', usd(expectedUsd, 1), usd(upperUsd, 1)],
  ];
}

/** Rounds so that the parts add up to the rounded total: those with the largest remainders are rounded up. */
function partsInCents(price: PriceSplit): (number | null)[] {
  const values = PRICE_PARTS.map((part) => price[part]);
  const total = totalUsd(price);
  if (total === null) return values;
  const exact = values.map((value) => (value ?? 0) * 100);
  const missing = Math.round(total * 100) - sum(exact.map(Math.floor));
  const byRemainder = exact
    .map((_, index) => index)
    .sort((one, other) => remainder(exact, other) - remainder(exact, one));
  const isUp = new Set(byRemainder.slice(0, missing));
  return exact.map((value, index) => (Math.floor(value) + (isUp.has(index) ? 1 : 0)) / 100);
}

const remainder = (values: readonly number[], index: number) => elementAt(values, index) % 1;

function gigabytes(bytes: number | null, count: number): string {
  return bytes === null ? UNKNOWN : threeDigits((count * bytes) / 1e9);
}

function usd(value: number | null, count: number): string {
  return value === null ? UNKNOWN : (count * value).toFixed(2);
}
