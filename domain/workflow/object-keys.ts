/**
 * Every S3 key of the result bucket, built and parsed here and nowhere else.
 *
 * The prefix of a table has only rows under it; `reports/` has the documents of a run.
 */
import type { HostRole } from '../model/host-role';
import { ID_PATTERN_TEXTS } from './identifiers';

export const RAW_PREFIX = 'raw/';
/** In the payload bucket: the objects that hosts transfer to measure S3. */
export const PAYLOAD_PREFIX = 'payload/';
export const REPORTS_PREFIX = 'reports/';
export const ATHENA_RESULTS_PREFIX = 'athena-results/';

export interface StreamIdentity {
  /** `aws:userid` of the host: `<role id>:<instance id>`. */
  readonly userId: string;
  readonly runId: string;
  readonly measurementId: string;
  readonly hostRole: HostRole;
}

const part = (sequence: number) => `${String(sequence).padStart(6, '0')}.ndjson.gz`;

export const rawStreamPrefix = ({ userId, runId, measurementId, hostRole }: StreamIdentity) =>
  `${RAW_PREFIX}${userId}/${runId}/${measurementId}/${hostRole}/`;
export const rawChunkKey = (stream: StreamIdentity, sequence: number) => rawStreamPrefix(stream) + part(sequence);
export const manifestKey = (stream: StreamIdentity) => `${rawStreamPrefix(stream)}_COMPLETE.json`;

const RAW_CHUNK = new RegExp(
  `^${RAW_PREFIX}([^/]+)/(${ID_PATTERN_TEXTS.runId})/(${ID_PATTERN_TEXTS.measurementId})/(client|server)/([0-9]{6})` +
    '\\.ndjson\\.gz$',
);

/** @returns undefined for the key of anything but a chunk, such as a manifest */
export function parseRawChunkKey(key: string): (StreamIdentity & { sequence: number }) | undefined {
  const [, userId, runId, measurementId, hostRole, sequence] = RAW_CHUNK.exec(key) ?? [];
  if (userId === undefined || runId === undefined || measurementId === undefined) return undefined;
  return { userId, runId, measurementId, hostRole: hostRole as HostRole, sequence: Number(sequence) };
}

// Rows of a table. `day` (UTC, `YYYY-MM-DD`) is the partition: the day on which the run was planned or, for live
// samples, the day of the chunk's first line.
/** Of all live samples of a run that were taken on a day. */
export const liveSamplesPrefix = (day: string, runId: string) => `live_samples/day=${day}/${runId}.`;
export const liveSamplesKey = (day: string, stream: Omit<StreamIdentity, 'userId'>, sequence: number) =>
  `${liveSamplesPrefix(day, stream.runId)}${stream.measurementId}.${stream.hostRole}.${part(sequence)}`;
export const samplesKey = (day: string, runId: string, measurementId: string) =>
  `samples/day=${day}/${runId}.${measurementId}.ndjson.gz`;
export const measurementRowKey = (day: string, runId: string, measurementId: string) =>
  `measurements/day=${day}/${runId}.${measurementId}.ndjson`;
export const runRowKey = (day: string, runId: string) => `runs/day=${day}/${runId}.ndjson`;

// Documents of a run.
export const reportPrefix = (runId: string) => `${REPORTS_PREFIX}${runId}/`;
export const planKey = (runId: string) => `${reportPrefix(runId)}plan.json`;
/** The run's forecast, as it was before the first launch. */
export const forecastKey = (runId: string) => `${reportPrefix(runId)}forecast.json`;
export const pairsPrefix = (runId: string) => `${reportPrefix(runId)}pairs/`;
/** The hosts of a pair. launch-pair writes it; whoever looks for the hosts' raw streams reads it. */
export const pairHostsKey = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}.json`;
/** When the first launch of a pair was attempted. Written once, so that every retry asks EC2 for the same hosts. */
export const launchIntentKey = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}-launch.json`;
export const measurementResultPrefix = (runId: string) => `${reportPrefix(runId)}measurements/`;
/** The whole result of one measurement; its row in `measurements/` is a projection of it. */
export const measurementResultKey = (runId: string, measurementId: string) =>
  `${measurementResultPrefix(runId)}${measurementId}.json`;
export const summaryKey = (runId: string) => `${reportPrefix(runId)}summary.json`;
export const reportKey = (runId: string) => `${reportPrefix(runId)}report.html`;

/** Whether a key is of a run: one of its documents, its rows or its hosts' raw streams. */
export function isKeyOfRun(key: string, runId: string): boolean {
  if (key.startsWith(reportPrefix(runId))) return true;
  const [prefix, part, name] = key.split('/');
  if (prefix === RAW_PREFIX.slice(0, -1)) return name === runId;
  return part?.startsWith('day=') === true && name?.startsWith(`${runId}.`) === true;
}
