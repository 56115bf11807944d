/**
 * Every S3 key of the result bucket, built and parsed here and nowhere else.
 *
 * Under a table's prefix there is nothing but rows; `reports/` holds the documents of a run.
 */
import type { HostRole } from '../model/host-role';

export const RAW_PREFIX = 'raw/';
/** In the payload bucket: what hosts transfer to measure S3. */
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

export function rawStreamPrefix(stream: StreamIdentity): string {
  return `${RAW_PREFIX}${stream.userId}/${stream.runId}/${stream.measurementId}/${stream.hostRole}/`;
}

export function rawChunkKey(stream: StreamIdentity, sequence: number): string {
  return `${rawStreamPrefix(stream)}${String(sequence).padStart(6, '0')}.ndjson.gz`;
}

export function manifestKey(stream: StreamIdentity): string {
  return `${rawStreamPrefix(stream)}_COMPLETE.json`;
}

const RAW_CHUNK =
  /^raw\/(?<userId>[^/]+)\/(?<runId>[A-Za-z0-9_-]{1,74})\/(?<measurementId>p[0-9]{4}-m[0-9]{2})\/(?<hostRole>client|server)\/(?<sequence>[0-9]{6})\.ndjson\.gz$/;

/** @returns undefined when the key is not a chunk's (a manifest, or something else altogether). */
export function parseRawChunkKey(key: string): (StreamIdentity & { sequence: number }) | undefined {
  const groups = RAW_CHUNK.exec(key)?.groups;
  if (groups === undefined) return undefined;
  return {
    userId: groups.userId!,
    runId: groups.runId!,
    measurementId: groups.measurementId!,
    hostRole: groups.hostRole as HostRole,
    sequence: Number(groups.sequence),
  };
}

/** Table rows. `day` (UTC, `YYYY-MM-DD`) is the partition: of a run the day it was planned, of a live chunk the day of its first line. */
export function liveSamplesKey(day: string, stream: Omit<StreamIdentity, 'userId'>, sequence: number): string {
  const part = String(sequence).padStart(6, '0');
  return `live_samples/day=${day}/${stream.runId}.${stream.measurementId}.${stream.hostRole}.${part}.ndjson.gz`;
}

export function samplesKey(day: string, runId: string, measurementId: string): string {
  return `samples/day=${day}/${runId}.${measurementId}.ndjson.gz`;
}

export function measurementRowKey(day: string, runId: string, measurementId: string): string {
  return `measurements/day=${day}/${runId}.${measurementId}.ndjson`;
}

export function runRowKey(day: string, runId: string): string {
  return `runs/day=${day}/${runId}.ndjson`;
}

/** Documents of one run. */
export function reportPrefix(runId: string): string {
  return `${REPORTS_PREFIX}${runId}/`;
}

export function planKey(runId: string): string {
  return `${reportPrefix(runId)}plan.json`;
}

/** What the run was expected to reach, show and cost before its first launch. */
export function forecastKey(runId: string): string {
  return `${reportPrefix(runId)}forecast.json`;
}

/** Which hosts a pair got: written by launch-pair, read by whoever looks for their raw streams. */
export function pairHostsKey(runId: string, pairId: string): string {
  return `${reportPrefix(runId)}pairs/${pairId}.json`;
}

/** When a pair was first tried to be launched: written once, so that every retry asks EC2 for the very same hosts. */
export function launchIntentKey(runId: string, pairId: string): string {
  return `${reportPrefix(runId)}pairs/${pairId}-launch.json`;
}

export function measurementResultPrefix(runId: string): string {
  return `${reportPrefix(runId)}measurements/`;
}

/** The whole result of one measurement; its row in `measurements/` is a projection of it. */
export function measurementResultKey(runId: string, measurementId: string): string {
  return `${measurementResultPrefix(runId)}${measurementId}.json`;
}

export function summaryKey(runId: string): string {
  return `${reportPrefix(runId)}summary.json`;
}

export function reportKey(runId: string): string {
  return `${reportPrefix(runId)}report.html`;
}
