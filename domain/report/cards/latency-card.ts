/** The card of a measurement of round trips. */
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import type { MeasurementResult } from '../../model/result';
import { latencyOf, rttOf } from '../../model/statistics';
import { grouped, micros } from '../../text/format';
import type { Html, HtmlValue } from '../page/html';
import { factList } from '../page/table-columns';

const SHOWN: readonly PercentileField[] = ['p90', 'p99', 'p99_9', 'p99_99'];

/** A percentile of too few round trips is left out. */
export function latencyFigures(result: MeasurementResult): Html | undefined {
  const rtt = rttOf(result);
  if (rtt === undefined) return undefined;
  const observations = latencyOf(result)?.observations;
  const fact = (name: string, value: number | undefined): readonly [string, HtmlValue] => [
    name,
    value !== undefined && `${micros(value)} µs`,
  ];
  return factList([
    fact('Shortest', rtt.min),
    fact('Median', rtt.p50),
    fact('Mean', rtt.mean),
    ...SHOWN.filter((field) => isSupported(field, observations ?? 0)).map((field) =>
      fact(percentileName(field), rtt[field]),
    ),
    fact('Longest', rtt.max),
    ['Round trips', grouped(observations)],
    ['Dropped', latencyOf(result)?.droppedMessages],
  ]);
}

export function latencyHeadline(result: MeasurementResult): string | undefined {
  const rtt = rttOf(result);
  const middle = rtt?.p50 === undefined ? micros(rtt?.mean) : micros(rtt.p50);
  if (middle === undefined) return undefined;
  const hasTail = rtt?.p99 !== undefined && isSupported('p99', latencyOf(result)?.observations ?? 0);
  return `${rtt?.p50 === undefined ? 'mean' : 'median'} ${middle}${hasTail ? `, p99 ${micros(rtt.p99)}` : ''} µs`;
}
