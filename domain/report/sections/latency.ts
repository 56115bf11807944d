/** Shows the percentiles of round trips as lines, and round trips under load before and after the throttle onset. */
import { groupBy } from '../../maths/elements';
import { cellOf } from '../../model/cell';
import { isHeldBack } from '../../model/verdict';
import { isSupported, PERCENTILE_FIELDS, percentileName, type PercentileField } from '../../model/percentiles';
import type { MeasurementResult } from '../../model/result';
import { drivenStatistics, latencyOf, rttOf, type RttQuantiles, type RttStatistics } from '../../model/statistics';
import { pairOfTypes } from '../../run/words';
import { grouped, micros, spaced } from '../../text/format';
import { logAxisEnds } from '../charts/axis';
import { lineChart } from '../charts/line-chart';
import { PALETTE_SIZE } from '../charts/svg';
import { withNotes } from '../page/columns';
import { html, type Html } from '../page/html';
import { column, numberColumn, tableSection, type Section } from '../page/table';

const MAX_LINES = PALETTE_SIZE;

export function latencySection(results: readonly MeasurementResult[]): Section | undefined {
  const all = results.filter((result) => rttOf(result)?.p50 !== undefined && !isHeldBack(result));
  // Only the first repetition is drawn, because the lines would overlap; the section on repetitions has the others.
  const measured = [...groupBy(all, (result) => cellOf(result)).values()].map(([first]) => first);
  if (measured.length === 0) return undefined;
  return {
    id: 'latency',
    title: 'Latency by percentile',
    html: html`
      <p class="lead">
        Round trips on a logarithmic scale. At p99, for example, 99 of 100 round trips took at most as long as
        shown.${
          results.some(isHeldBack) &&
          ' Round trips that an allowance of a host held back are not shown, because they do not show the path alone.'
        }${
          all.length > measured.length && ' If a measurement was repeated, only its first repetition is shown.'
        }${measured.length > MAX_LINES && ` Only the first ${MAX_LINES} of ${measured.length} measurements are shown.`}
      </p>
      <div class="card">${chart(measured.slice(0, MAX_LINES))}</div>
    `,
  };
}

const QUANTILES: readonly (readonly [key: keyof RttQuantiles, word: string])[] = [
  ['min', 'min'],
  ...PERCENTILE_FIELDS.map((field) => [field, percentileName(field)] as const),
  ['max', 'max'],
];

/** Leaves out a percentile of too few round trips, because it is only the longest one, which the line shows anyway. */
function shown(result: MeasurementResult, key: keyof RttQuantiles): number | undefined {
  const percentile = PERCENTILE_FIELDS.find((field) => field === key);
  const isLeftOut = percentile !== undefined && !isSupported(percentile, latencyOf(result)?.observations ?? 0);
  return isLeftOut ? undefined : rttOf(result)?.[key];
}

function chart(results: readonly MeasurementResult[]): Html {
  const present = QUANTILES.filter(([key]) => results.some((result) => shown(result, key) !== undefined));
  const lines = results.map((result) => ({
    name: `${result.measurementId} ${pairOfTypes(result)}`,
    points: present.map(([key, word]) => [word, shown(result, key) ?? null] as const),
  }));
  return lineChart({
    id: 'latency',
    label: 'Round trip by percentile',
    categories: present.map(([, word]) => word),
    valueName: 'round trip, µs',
    valueEnds: logAxisEnds(lines.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []))),
    isLogarithmic: true,
    lines,
  });
}

interface LoadedRow {
  readonly result: MeasurementResult;
  readonly when: 'before' | 'after';
  readonly roundTrips: RttStatistics;
}

export function loadedLatencySection(results: readonly MeasurementResult[]): Section | undefined {
  const rtt = (heading: string, field: keyof RttQuantiles) =>
    numberColumn<LoadedRow>(heading, ({ roundTrips }) => micros(roundTrips.rttMicros[field]));
  const percentile = (field: PercentileField) =>
    numberColumn<LoadedRow>(percentileName(field), ({ roundTrips: { rttMicros, observations } }) =>
      micros(isSupported(field, observations) ? rttMicros[field] : undefined),
    );
  return tableSection<LoadedRow>({
    id: 'loaded-latency',
    title: 'Latency under load',
    lead: html`A light probe measured round trips while the load ran, during the burst and after the throttle onset.
    Times are in microseconds. A percentile is left out if there are too few round trips for it. The charts of
    throughput over time also show the round trips.`,
    columns: [
      column('When', whenWords),
      rtt('Median', 'p50'),
      percentile('p99'),
      percentile('p99_9'),
      rtt('Longest', 'max'),
      numberColumn('Round trips', ({ roundTrips }) => grouped(roundTrips.observations)),
      numberColumn('Median, after / before', times),
    ],
    rows: results.flatMap((result) =>
      (['before', 'after'] as const).flatMap((when): LoadedRow[] => {
        const roundTrips = drivenStatistics(result)?.loadedLatency?.[when];
        return roundTrips === undefined ? [] : [{ result, when, roundTrips }];
      }),
    ),
    groups: {
      by: ({ result }) => result,
      title: ({ result: { measurementId, zoneRelation, path, ...pair } }) =>
        withNotes(pairOfTypes(pair), `${measurementId}, ${spaced(zoneRelation)}, ${path} path`),
    },
  });
}

function whenWords({ result: { verdict }, when }: LoadedRow): string {
  if (when === 'after') return 'after the onset';
  return verdict?.onset ? 'before the onset' : 'no onset seen';
}

function times({ result, when, roundTrips }: LoadedRow): string | undefined {
  const before = drivenStatistics(result)?.loadedLatency?.before?.rttMicros.p50;
  const after = roundTrips.rttMicros.p50;
  return when === 'before' || before === undefined || after === undefined || before <= 0
    ? undefined
    : `× ${(after / before).toFixed(1)}`;
}
