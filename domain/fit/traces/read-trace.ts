/** Recognises the form of a trace by what it holds, because a name can be wrong. */
import { rateIntervals } from '../../detection/prediction';
import { readSeries } from '../../detection/series-line';
import { asRecord, findJsonObjects, type JsonRecord } from '../../parsers/json-text';
import { readMetricData, readMetricStatistics, type Statistic } from './cloudwatch';
import { csvRows, isConsoleCsv, readConsoleCsv, readTimeCsv } from './csv';
import { isFlowLog, readFlowLog } from './flow-log';
import { isIfstat, isSar, readIfstat, readSar } from './interface-counters';
import { INSTANCE_ID, refuse, UNNAMED, type ReadFile } from './trace';

export const READABLE_TRACES =
  "CloudWatch's get-metric-data and get-metric-statistics, CSV of its console, VPC flow logs as text, CSV with a time and " +
  'bytes or rates, series (as analyse --series has them, or the CSV of a run), sar -n DEV and ifstat -t';

/**
 * @param name of the file: where an answer names no instance, an instance id in it counts
 * @param asked the statistic of CloudWatch's values, where their answer does not say it
 */
export function readTrace(text: string, name = '', asked?: Statistic): ReadFile[] {
  const named = INSTANCE_ID.exec(name)?.[0] ?? UNNAMED;
  const files = filesIn(text, asked);
  const nameOf = (instance: string) => (instance === UNNAMED ? named : instance);
  return files.map((file) => ({
    ...file,
    series: file.series.map((each) => ({ ...each, instance: nameOf(each.instance) })),
  }));
}

function filesIn(text: string, asked: Statistic | undefined): ReadFile[] {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('{')) return jsonFiles(trimmed, asked);
  if (text.startsWith('PAR1')) refuse('trace', 'text', 'Parquet', '; Athena can write flow logs as CSV');
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (isSar(lines)) return [readSar(lines)];
  if (isIfstat(lines)) return [readIfstat(lines)];
  if (isFlowLog(lines[0] ?? '')) return [readFlowLog(lines)];
  const rows = csvRows(text);
  if (isConsoleCsv(rows)) return [readConsoleCsv(rows, asked)];
  if ((rows[0]?.length ?? 0) > 1) return [readTimeCsv(rows)];
  return refuse('trace', READABLE_TRACES, lines[0]);
}

function jsonFiles(text: string, asked: Statistic | undefined): ReadFile[] {
  const [first] = findJsonObjects(text.slice(0, text.indexOf('\n') + 1)).found;
  if (Array.isArray(asRecord(first?.value)?.bps)) return [seriesFile(text)];
  const { found } = findJsonObjects(text);
  if (found.length === 0 || found.some(({ isCutOff }) => isCutOff)) refuse('trace', 'whole JSON', 'only a part');
  return found.map(({ value }) => answerFile(asRecord(value) ?? {}, asked));
}

function answerFile(answer: JsonRecord, asked: Statistic | undefined): ReadFile {
  if (Array.isArray(answer.MetricDataResults)) return readMetricData(answer, asked);
  if (Array.isArray(answer.Datapoints)) return readMetricStatistics(answer);
  if (Array.isArray(answer.bps)) return seriesFile(JSON.stringify(answer));
  return refuse('trace', 'JSON with MetricDataResults, Datapoints, or t and bps', Object.keys(answer));
}

function seriesFile(text: string): ReadFile {
  const series = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readSeries(line))
    .map((each) => ({
      instance: String(each.id),
      direction: 'not_stated' as const,
      intervals: rateIntervals(each).filter((rate) => Number.isFinite(rate.startSeconds) && rate.bitsPerSecond >= 0),
    }));
  return { form: 'series', unit: 'bits per second', series };
}
