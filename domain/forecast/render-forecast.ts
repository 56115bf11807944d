/** A forecast as plain text: a line for each measurement of each pair, the price by its parts, the warnings. */
import { zip } from '../maths/zip';
import { cpuCreditsInWords } from '../model/conditions';
import { PRICE_PARTS, totalUsd } from '../model/cost';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { gigabits, grouped, spaced, threeDigits } from '../text/format';
import { textTable } from '../text/text-table';
import { PRICE_REGION, PRICE_SOURCES } from './prices/price-table';
import type { BulkForecast } from './forecast-bulk';
import type { MeasurementForecast, RunForecast } from './forecast-run';
import { onsetText, planWarnings, warningLines } from './warnings';

const UNKNOWN = 'unknown';
const HEADINGS = ['pair', 'measurement', 'limits', 'rate', 'onset', 'shown', 'GB', 'GB at most', 'USD', 'USD at most'];
const FIRST_NUMBER_COLUMN = 6;

/** What the forecast's text says of the plan's parts. */
export interface PlanWords {
  readonly labelOf: (measurement: PlannedMeasurement) => string;
  /** Whether the zone relation is only assumed, because no one can say which zones the hosts are in. */
  readonly isZoneRelationUnknown: (pair: PlannedPair) => boolean;
}

export function renderForecast(forecast: RunForecast, pairs: readonly PlannedPair[], words: PlanWords): string {
  const warnings = planWarnings(forecast, pairs);
  const launched = pairs.filter(isLaunched).length;
  return [
    textTable(HEADINGS, measurementRows(forecast, pairs, words), {
      isRightAligned: (column) => column >= FIRST_NUMBER_COLUMN,
    }),
    '',
    textTable(['price in USD', 'expected', 'at most'], priceRows(forecast), { isRightAligned: (column) => column > 0 }),
    '',
    `${grouped(launched)} of ${grouped(pairs.length)} pairs would be launched; list prices of ${PRICE_REGION}, ` +
      `instances of ${PRICE_SOURCES.instances.date}, services of ${PRICE_SOURCES.services.date}, before tax and discounts`,
    ...(warnings.length === 0 ? [] : ['', ...warningLines(warnings)]),
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

/** In the order of the plan; repetitions share a line. */
function measurementRows(forecast: RunForecast, pairs: readonly PlannedPair[], words: PlanWords): string[][] {
  const lines = new Map<string, Line>();
  for (const [{ measurements }, pair] of zip(forecast.pairs, pairs)) {
    for (const [measurement, planned] of zip(measurements, pair.measurements)) {
      const key = `${pair.planPairIndex} ${planned.planMeasurementIndex}`;
      const line = lines.get(key) ?? { pair, planned, measurement, count: 0 };
      lines.set(key, { ...line, count: line.count + 1 });
    }
  }
  return [...lines.values()]
    .sort(
      (one, other) =>
        one.pair.planPairIndex - other.pair.planPairIndex ||
        one.planned.planMeasurementIndex - other.planned.planMeasurementIndex,
    )
    .map((line) => measurementRow(line, words));
}

function measurementRow({ measurement, pair, planned, count }: Line, words: PlanWords): string[] {
  const { notApplicable, bulk, bytes, price } = measurement;
  const label = words.labelOf(planned);
  const names = [pairText(pair, words), count === 1 ? label : `${label} ×${grouped(count)}`];
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
    onset.kind === 'at' ? `${onsetText(onset)} (${spaced(onset.source)})` : onset.kind,
    spaced(bulk.canShow),
  ];
}

function pairText(pair: PlannedPair, { isZoneRelationUnknown }: PlanWords): string {
  const { clientType, serverType, zoneRelation, placement, path, enaExpress } = pair;
  const types = clientType === serverType ? `2 × ${clientType}` : `${clientType}, ${serverType}`;
  const conditions = [
    isZoneRelationUnknown(pair) ? `${spaced(zoneRelation)} (assumed)` : spaced(zoneRelation),
    path,
    ...(placement === 'none' ? [] : [placement]),
    ...(enaExpress === 'off' ? [] : [`ENA Express ${spaced(enaExpress)}`]),
    ...cpuCreditsInWords(pair),
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
