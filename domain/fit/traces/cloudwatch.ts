/**
 * Reads what CloudWatch answers about EC2's metrics (AWS's pages "GetMetricData" and "GetMetricStatistics"). A Sum has the
 * bytes of the period. An Average has those of a minute, because EC2 hands over one value a minute, with basic
 * monitoring five at a time: a sum over five minutes was seen to be five averages (stackoverflow.com/questions/33350701).
 */
import { asRecords, asText, type JsonRecord } from '../../parsers/json-text';
import { groupBy } from '../../maths/elements';
import { largest, sum } from '../../maths/statistics';
import { amountAt, INSTANCE_ID, leftOutNotes, refuse, spacing, timeAt, UNNAMED } from './trace';
import type { ReadFile, TraceSeries } from './trace';

export const STATISTICS = ['Sum', 'Average'] as const;
export type Statistic = (typeof STATISTICS)[number];

const MINUTE_SECONDS = 60;
const METRICS = ['NetworkIn', 'NetworkOut', 'NetworkPacketsIn', 'NetworkPacketsOut'] as const;
type Metric = (typeof METRICS)[number];

/** @returns undefined for another metric, such as CPUUtilization */
export function metricIn(text: string): Metric | undefined {
  const found = /network(?:packets)?(?:in|out)/i.exec(text)?.[0].toLowerCase();
  return METRICS.find((metric) => metric.toLowerCase() === found);
}

export const statisticIn = (text: string): Statistic | undefined =>
  STATISTICS.find((statistic) => new RegExp(`\\b${statistic}\\b`, 'i').test(text));

/** The values of one metric of one instance. */
export interface Datapoints {
  readonly where: string;
  readonly metric: Metric;
  readonly instance: string;
  readonly statistic: Statistic | undefined;
  readonly periodSeconds?: number;
  readonly points: readonly { readonly seconds: number; readonly value: number }[];
}

export function cloudWatchFile(
  form: string,
  series: readonly Datapoints[],
  asked: Statistic | undefined,
  notes: readonly string[],
): ReadFile {
  if (series.length === 0) refuse(form, `about ${METRICS.join(', ')}`, notes.join('; '));
  const distance = ({ points }: Datapoints) => spacing(points.map(({ seconds }) => seconds));
  const stated = series.flatMap((each) => each.periodSeconds ?? distance(each) ?? []);
  const [periodSeconds = NaN, ...others] = new Set(stated);
  if (others.length > 0 || periodSeconds % MINUTE_SECONDS !== 0) {
    refuse(`${form}: period`, 'one of whole minutes for all series of a file, the distance of two values', stated);
  }
  const statistics = new Set<string>();
  const rates = series.map((each) => {
    const { statistic = asked ?? (periodSeconds === MINUTE_SECONDS ? 'Sum' : undefined) } = each;
    if (statistic === undefined) {
      const must = `${STATISTICS.join(' or ')}, which differ by a factor of ${periodSeconds / MINUTE_SECONDS}`;
      return refuse(`${each.where}, statistic`, must, undefined, '; --statistic says it');
    }
    statistics.add(statistic === 'Sum' ? 'Sum, bytes of the period' : 'Average, bytes of a minute');
    return { ...each, valueSeconds: statistic === 'Sum' ? periodSeconds : MINUTE_SECONDS };
  });
  const isPackets = ({ metric }: Datapoints) => metric.includes('Packets');
  const bytes = rates.filter((each) => !isPackets(each));
  return {
    form,
    unit: `${[...statistics].join('; ')}; period ${periodSeconds} s`,
    series: bytes.map(({ instance, metric, points, valueSeconds }): TraceSeries => ({
      instance,
      direction: metric === 'NetworkIn' ? 'in' : 'out',
      intervals: points.map(({ seconds, value }) => {
        return { startSeconds: seconds, lengthSeconds: periodSeconds, bitsPerSecond: (8 * value) / valueSeconds };
      }),
    })),
    highestPacketsPerSecond: highestOf(rates.filter(isPackets)),
    notes,
  };
}

/** Packets in and out of a host count against one allowance, so that those of the same time are added. */
function highestOf(series: readonly (Datapoints & { readonly valueSeconds: number })[]): number | undefined {
  const rates = series.flatMap(({ instance, points, valueSeconds }) =>
    points.map(({ seconds, value }) => ({ at: `${instance} ${seconds}`, perSecond: value / valueSeconds })),
  );
  const both = groupBy(rates, ({ at }) => at);
  return both.size === 0 ? undefined : largest([...both.values()].map((all) => sum(all.map((each) => each.perSecond))));
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []);
const PARTLY = 'the answer is one page of several: the others must be given too, or their time is missing';

export function readMetricData(answer: JsonRecord, asked: Statistic | undefined): ReadFile {
  const leftOut: string[] = [];
  const series = asRecords(answer.MetricDataResults).flatMap((result, index): Datapoints[] => {
    const where = `MetricDataResults[${index}]`;
    const label = `${asText(result.Label) ?? ''} ${asText(result.Id) ?? ''}`.trim();
    const metric = metricIn(label);
    const [times, values] = [listOf(result.Timestamps), listOf(result.Values)];
    if (metric === undefined || times.length === 0) {
      leftOut.push(metric === undefined ? label : `${label}, which has no values`);
      return [];
    }
    if (times.length !== values.length)
      refuse(`${where}.Values`, `as many as Timestamps (${times.length})`, values.length);
    const points = times.map((time, at) => ({
      seconds: timeAt(`${where}.Timestamps[${at}]`, time),
      value: amountAt(`${where}.Values[${at}]`, values[at]),
    }));
    const instance = INSTANCE_ID.exec(label)?.[0] ?? UNNAMED;
    return [{ where, metric, instance, statistic: statisticIn(label), points }];
  });
  const isPart =
    'NextToken' in answer || asRecords(answer.MetricDataResults).some(({ StatusCode }) => StatusCode === 'PartialData');
  const notes = [...leftOutNotes(leftOut), ...(isPart ? [PARTLY] : [])];
  return cloudWatchFile('CloudWatch get-metric-data', series, asked, notes);
}

/** Every datapoint has the statistics that were asked for. The answer names no instance: the name of its file may. */
export function readMetricStatistics(answer: JsonRecord): ReadFile {
  const metric = metricIn(String(answer.Label));
  if (metric === undefined) return refuse('Label', METRICS.join(', '), answer.Label);
  const unit = metric.includes('Packets') ? 'Count' : 'Bytes';
  let statistic: Statistic = 'Sum';
  const points = asRecords(answer.Datapoints).map((point, index) => {
    const where = `Datapoints[${index}]`;
    if (point.Unit !== undefined && point.Unit !== unit) refuse(`${where}.Unit`, JSON.stringify(unit), point.Unit);
    const seconds = timeAt(`${where}.Timestamp`, point.Timestamp);
    if (point.Sum !== undefined) return { seconds, value: amountAt(`${where}.Sum`, point.Sum) };
    if (point.Average === undefined) refuse(where, 'with Sum or Average', Object.keys(point).join(', '));
    if (point.SampleCount === undefined) statistic = 'Average';
    const samples = amountAt(`${where}.SampleCount`, point.SampleCount ?? 1);
    return { seconds, value: samples * amountAt(`${where}.Average`, point.Average) };
  });
  if (points.length === 0) refuse('Datapoints', 'two values or more', []);
  const series = { where: 'Datapoints', metric, instance: UNNAMED, statistic, points };
  return cloudWatchFile('CloudWatch get-metric-statistics', [series], undefined, []);
}
