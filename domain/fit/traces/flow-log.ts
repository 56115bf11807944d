/**
 * Reads VPC flow logs, of S3 (with a line of fields) or CloudWatch Logs (without; then the default format). EC2's page
 * "Flow log records", November 2026: a record is about the packets of a flow from start to end, at most ten minutes.
 */
import { groupBy } from '../../maths/elements';
import { largest, smallest } from '../../maths/statistics';
import { counted } from '../../text/format';
import { amountAt, refuse, type ReadFile, type TraceSeries } from './trace';

const MINUTE_SECONDS = 60;
const DEFAULT_FIELDS =
  'version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status';
const NEEDED = ['interface-id', 'bytes', 'start', 'end'];
/** CloudWatch Logs puts the time of the event before each record. */
const EVENT_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z\s+/;

export const isFlowLog = (line: string) =>
  /(^| )interface-id( |$)/.test(line) || /^\d+ \S+ eni-[0-9a-f]+ /.test(line.replace(EVENT_TIME, ''));

type FlowRecord = Readonly<Record<string, string>> & { readonly where: string };

export function readFlowLog(lines: readonly string[]): ReadFile {
  const [first = ''] = lines;
  const hasHeadings = first.includes('interface-id');
  const fields = (hasHeadings ? first : DEFAULT_FIELDS).trim().split(/\s+/);
  if (NEEDED.some((field) => !fields.includes(field))) refuse('line 1', `fields with ${NEEDED.join(', ')}`, first);
  const records = lines.slice(hasHeadings ? 1 : 0).map((line, index): FlowRecord => {
    const where = `line ${index + (hasHeadings ? 2 : 1)}`;
    const values = line.replace(EVENT_TIME, '').trim().split(/\s+/);
    if (values.length !== fields.length) refuse(where, `${fields.length} values (${fields.join(' ')})`, line);
    return { ...Object.fromEntries(fields.map((field, at) => [field, values[at] ?? ''])), where };
  });
  const spans = records.map(spanOf);
  const binSeconds =
    largest(spans.map(({ start, end }) => end - start)) > MINUTE_SECONDS ? 10 * MINUTE_SECONDS : MINUTE_SECONDS;
  const interfaces = groupBy(spans, ({ record }) => record['interface-id'] ?? '');
  const note = (is: (record: FlowRecord) => boolean, what: string) =>
    records.some(is) ? [`${counted(records.filter(is).length, 'record')} of ${what}`] : [];
  return {
    form: 'VPC flow log',
    unit: `bytes of ${counted(records.length, 'record')}, each spread over its time, in intervals of ${binSeconds} s`,
    series: [...interfaces].flatMap(([instance, own]) => seriesOf(instance, own, binSeconds)),
    notes: [
      ...note(isSkipped, 'SKIPDATA: AWS left out others, and that time is unknown'),
      ...note(isRejected, 'rejected traffic count as none'),
    ],
  };
}

const isSkipped = (record: FlowRecord) => record['log-status'] === 'SKIPDATA';
const isRejected = ({ action }: FlowRecord) => action === 'REJECT';

function seriesOf(instance: string, own: readonly Span[], binSeconds: number): TraceSeries[] {
  const directionOf = directionsOf(instance, own);
  const first = smallest(own.map(({ start }) => start));
  const unknown = new Set<number>();
  const bits = new Map<number, { in: number; out: number }>();
  for (const { record, start, end } of own) {
    // A record of NODATA says that nothing came, which is not the same as no record.
    const isEmpty = record['log-status'] === 'NODATA' || isRejected(record) || isSkipped(record);
    const perSecond = isEmpty ? 0 : (8 * amountAt(`${record.where}, bytes`, record.bytes)) / (end - start);
    for (let bin = Math.floor((start - first) / binSeconds); first + bin * binSeconds < end; bin += 1) {
      const [from, to] = [first + bin * binSeconds, first + (bin + 1) * binSeconds];
      const sum = bits.get(bin) ?? { in: 0, out: 0 };
      if (perSecond > 0) sum[directionOf(record)] += perSecond * (Math.min(end, to) - Math.max(start, from));
      bits.set(bin, sum);
      if (isSkipped(record)) unknown.add(bin);
    }
  }
  const known = [...bits].filter(([bin]) => !unknown.has(bin));
  return (['in', 'out'] as const).map((direction) => ({
    instance,
    direction,
    intervals: known.map(([bin, sum]) => {
      const startSeconds = first + bin * binSeconds;
      return { startSeconds, lengthSeconds: binSeconds, bitsPerSecond: sum[direction] / binSeconds };
    }),
  }));
}

type Span = ReturnType<typeof spanOf>;

function spanOf(record: FlowRecord) {
  const [start, end] = [Number(record.start), Number(record.end)];
  if (!(start >= 0 && end >= start))
    refuse(`${record.where}, start and end`, 'seconds since 1970, start first', `${record.start} ${record.end}`);
  return { record, start, end: Math.max(end, start + 1) };
}

/** The field flow-direction, or else the one address that all records of the interface have: its own. */
function directionsOf(instance: string, own: readonly Span[]): (record: FlowRecord) => 'in' | 'out' {
  const withTraffic = own.map(({ record }) => record).filter(({ bytes }) => bytes !== '-');
  if (withTraffic.every((record) => /^(in|e)gress$/.test(record['flow-direction'] ?? ''))) {
    return (record) => (record['flow-direction'] === 'egress' ? 'out' : 'in');
  }
  const ends = withTraffic.map(({ srcaddr, dstaddr }) => [srcaddr ?? '', dstaddr ?? '']);
  const common = [...new Set(ends[0])].filter((address) => ends.every((both) => both.includes(address)));
  const must = 'the only one in all records, because these have no flow-direction';
  if (common.length !== 1) refuse(`${instance}, own address`, must, common);
  return ({ dstaddr }) => (dstaddr === common[0] ? 'in' : 'out');
}
