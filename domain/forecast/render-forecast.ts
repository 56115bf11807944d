/** A forecast as plain text: a line for each measurement of each pair of the plan, the price by its parts, the warnings. */
import { gigabits, grouped, threeDigits } from '../text/format';
import { PRICE_PARTS, totalUsd } from './prices/price-split';
import { PRICE_REGION, PRICE_SOURCES } from './prices/price-table';
import type { BulkForecast } from './forecast-bulk';
import type { MeasurementForecast, RunForecast } from './forecast-run';
import { isLaunched } from '../model/planned-run';
import type { ForecastMeasurement, ForecastPair } from './inputs';
import { onsetText, planWarnings, warningLines } from './warnings';

const UNKNOWN = 'unknown';
const HEADINGS = ['pair', 'measurement', 'limits', 'rate', 'onset', 'shown', 'GB', 'GB at most', 'USD', 'USD at most'];
/** Columns of figures stand right. */
const FIRST_NUMBER_COLUMN = 6;

export function renderForecast<Measurement extends ForecastMeasurement>(
  forecast: RunForecast,
  pairs: readonly ForecastPair<Measurement>[],
  labelOf: (measurement: Measurement) => string,
): string {
  const warnings = planWarnings(forecast, pairs);
  const launched = pairs.filter(isLaunched).length;
  return [
    ...table([HEADINGS, ...measurementRows(forecast, pairs, labelOf)]),
    '',
    ...table([['price in USD', 'expected', 'at most'], ...priceRows(forecast)], 1),
    '',
    `${grouped(launched)} of ${grouped(pairs.length)} pairs launched; list prices of ${PRICE_REGION}, instances of ` +
      `${PRICE_SOURCES.instances.date}, services of ${PRICE_SOURCES.services.date}, before tax and discounts`,
    ...(warnings.length === 0 ? [] : ['', ...warningLines(warnings)]),
    '',
  ].join('\n');
}

/** Repetitions are one line. */
function measurementRows<Measurement extends ForecastMeasurement>(
  forecast: RunForecast,
  pairs: readonly ForecastPair<Measurement>[],
  labelOf: (measurement: Measurement) => string,
): string[][] {
  const groups = new Map<string, { count: number; row: (count: number) => string[] }>();
  for (const [pairIndex, { planPairIndex, measurements }] of forecast.pairs.entries()) {
    const pair = pairs[pairIndex]!;
    for (const [index, measurement] of measurements.entries()) {
      const key = `${String(planPairIndex).padStart(6)} ${String(measurement.planMeasurementIndex).padStart(4)}`;
      const group = groups.get(key) ?? {
        count: 0,
        row: (count) => measurementRow(measurement, pair, labelOf(pair.measurements[index]!), count),
      };
      groups.set(key, { ...group, count: group.count + 1 });
    }
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { count, row }]) => row(count));
}

function measurementRow(measurement: MeasurementForecast, pair: ForecastPair, label: string, count: number): string[] {
  const { notApplicable, bulk, bytes, price } = measurement;
  const names = [pairText(pair), count === 1 ? label : `${label} ×${grouped(count)}`];
  if (notApplicable !== undefined) return [...names, 'not applicable', '', '', '', '', '', '', ''];
  return [
    ...names,
    ...(bulk === undefined ? ['', '', '', ''] : bulkTexts(bulk)),
    gigabytes(bytes.expected, count),
    gigabytes(bytes.upper, count),
    usd(totalUsd(price.expected), count),
    usd(totalUsd(price.upper), count),
  ];
}

function bulkTexts(bulk: BulkForecast): string[] {
  const { baselineBitsPerSecond, peakBitsPerSecond, burstBitsPerSecond, sustainedBitsPerSecond, onset } = bulk;
  const rate = (bits: number | null) => gigabits(bits) ?? UNKNOWN;
  const range = (low: number | null, high: number | null) =>
    low === high ? `${rate(low)} Gbit/s` : `${rate(high)} → ${rate(low)} Gbit/s`;
  return [
    `${rate(baselineBitsPerSecond)} to ${rate(peakBitsPerSecond)} Gbit/s`,
    range(sustainedBitsPerSecond, burstBitsPerSecond),
    onset.kind === 'at' ? `${onsetText(onset)} (${onset.source.replaceAll('_', ' ')})` : onset.kind,
    bulk.canShow.replaceAll('_', ' '),
  ];
}

function pairText({ clientType, serverType, zoneRelation, placement, path, enaExpress }: ForecastPair): string {
  const types = clientType === serverType ? `2 × ${clientType}` : `${clientType}, ${serverType}`;
  const conditions = [
    zoneRelation.replace('_', ' '),
    path,
    ...(placement === 'none' ? [] : [placement]),
    ...(enaExpress === 'off' ? [] : [`ENA Express ${enaExpress.replace('_', ' ')}`]),
  ];
  return `${types}, ${conditions.join(', ')}`;
}

function priceRows({ price, expectedUsd, upperUsd }: RunForecast): string[][] {
  const words = (part: string) => part.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return [
    ...PRICE_PARTS.map((part) => [words(part), usd(price.expected[part], 1), usd(price.upper[part], 1)]),
    ['total', usd(expectedUsd, 1), usd(upperUsd, 1)],
  ];
}

function gigabytes(bytes: number | null, count: number): string {
  return bytes === null ? UNKNOWN : threeDigits((count * bytes) / 1e9);
}

function usd(value: number | null, count: number): string {
  return value === null ? UNKNOWN : (count * value).toFixed(2);
}

function table(rows: readonly string[][], firstNumberColumn = FIRST_NUMBER_COLUMN): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column < firstNumberColumn ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}
