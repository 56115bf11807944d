/** Round trips under load, before the throttle onset and after it. */
import type { MeasurementResult } from '../../model/result';
import { drivenStatistics, type RttStatistics } from '../../model/statistics';
import { isSupported, type PercentileField } from '../../model/percentiles';
import { grouped, micros, spaced } from '../../text/format';
import { html } from '../page/html';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';
import { pairOfTypes } from '../../run/words';

interface Row {
  readonly result: MeasurementResult;
  readonly when: 'before' | 'after';
  readonly roundTrips: RttStatistics;
}

export function loadedLatencySection(results: readonly MeasurementResult[]): Section | undefined {
  const rows = results.flatMap((result) => {
    const loaded = drivenStatistics(result)?.loadedLatency;
    return (['before', 'after'] as const).flatMap((when): Row[] => {
      const roundTrips = loaded?.[when];
      return roundTrips === undefined ? [] : [{ result, when, roundTrips }];
    });
  });
  if (rows.length === 0) return undefined;
  const rtt = (heading: string, valueOf: (row: Row) => number | undefined) => ({
    heading,
    isNumber: true,
    cell: (row: Row) => micros(valueOf(row)),
  });
  const supported =
    (field: PercentileField) =>
    ({ roundTrips: { rttMicros, observations } }: Row) =>
      isSupported(field, observations) ? rttMicros[field] : undefined;
  return {
    id: 'loaded-latency',
    title: 'Latency under load',
    html: html`
      <p class="lead">
        Round trips of a light probe that ran beside the load, in microseconds: during the burst, and after the throttle
        onset. A percentile is left out where there are too few round trips for it. The charts of throughput over time
        also show the round trips.
      </p>
      <div class="card">
        ${reportTable<Row>(
          'Latency under load',
          [
            { heading: 'When', cell: ({ result, when }) => whenWords(result, when) },
            rtt('Median', ({ roundTrips }) => roundTrips.rttMicros.p50),
            rtt('p99', supported('p99')),
            rtt('p99.9', supported('p99_9')),
            rtt('Longest', ({ roundTrips }) => roundTrips.rttMicros.max),
            { heading: 'Round trips', isNumber: true, cell: ({ roundTrips }) => grouped(roundTrips.observations) },
            { heading: 'Median, relative to before', isNumber: true, cell: (row) => times(row) },
          ],
          rows,
          {
            groups: {
              by: ({ result }) => result,
              title: ({ result: { measurementId, zoneRelation, path, ...pair } }) =>
                html`${pairOfTypes(pair)}<small>${measurementId}, ${spaced(zoneRelation)}, ${path} path</small>`,
            },
          },
        )}
      </div>
    `,
  };
}

function whenWords({ verdict }: MeasurementResult, when: Row['when']): string {
  if (when === 'after') return 'after the onset';
  return verdict?.onset ? 'before the onset' : 'no onset seen';
}

function times({ result, when, roundTrips }: Row): string | undefined {
  const before = drivenStatistics(result)?.loadedLatency?.before?.rttMicros.p50;
  const after = roundTrips.rttMicros.p50;
  return when === 'before' || before === undefined || after === undefined || before <= 0
    ? undefined
    : `× ${(after / before).toFixed(1)}`;
}
