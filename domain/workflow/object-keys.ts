/** Builds and parses all S3 keys of the result bucket. A table's prefix has only rows; documents are in `reports/`. */
import { groupBy } from '../maths/elements';
import type { HostRole } from '../model/host-role';
import type { Metric } from '../model/sample';
import { ID_PATTERN_TEXTS } from './identifiers';

export const RAW_PREFIX = 'raw/';
/** This prefix is in the payload bucket, whose objects hosts transfer to measure S3. */
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

/**
 * Rows of single measurements, which are merged into one object per run when the run ends. No table contains this
 * prefix, so that no query finds a row twice.
 */
export const ROW_PARTS_PREFIX = 'parts/';
export const rowPartsPrefix = (runId: string) => `${ROW_PARTS_PREFIX}${runId}/`;
export const rowPartKey = (runId: string, measurementId: string) =>
  `${rowPartsPrefix(runId)}${measurementId}.ndjson.gz`;
/** The table `measurement_samples`, for queries on one measurement. At the end of a run it is merged into `samples`. */
export const measurementSamplesPrefix = (runId: string) => `measurement_samples/run_id=${runId}/`;
export const measurementSamplesKey = (runId: string, measurementId: string) =>
  `${measurementSamplesPrefix(runId)}measurement_id=${measurementId}/samples.ndjson.gz`;

/** An empty object for each analysis that has begun to write and is not folded, so that the sweep can fold it. */
export const UNFINISHED_PREFIX = 'unfinished/';
export const unfinishedPrefix = (runId: string) => `${UNFINISHED_PREFIX}${runId}/`;
/** @param call differs for each call of analyse-measurement, so that none deletes the object of another */
export const unfinishedKey = ({ runId, measurementId, begunAt }: UnfinishedAnalysis, call: string) =>
  `${unfinishedPrefix(runId)}${measurementId}.${begunAt.getTime()}.${call}`;

export interface UnfinishedAnalysis {
  readonly runId: string;
  readonly measurementId: string;
  readonly begunAt: Date;
}

const UNFINISHED = new RegExp(
  `^${UNFINISHED_PREFIX}(${ID_PATTERN_TEXTS.runId})/(${ID_PATTERN_TEXTS.measurementId})\\.([0-9]+)\\.[^/]+$`,
);

/** @throws for the key of anything but an unfinished analysis */
export function parseUnfinishedKey(key: string): UnfinishedAnalysis {
  const [, runId, measurementId, begunAt] = UNFINISHED.exec(key) ?? [];
  if (runId === undefined || measurementId === undefined) throw new Error(`${key}: must be an unfinished analysis`);
  return { runId, measurementId, begunAt: new Date(Number(begunAt)) };
}

const ROW_PART = new RegExp(`^(${ID_PATTERN_TEXTS.measurementId})\\.ndjson\\.gz$`);
const MEASUREMENT_SAMPLES = new RegExp(`^measurement_id=(${ID_PATTERN_TEXTS.measurementId})/samples\\.ndjson\\.gz$`);

/** Reads the measurement id from the key of a row part. @throws for any other key, or one of another run */
export const measurementIdOfRowPart = (key: string, runId: string) => idIn(key, rowPartsPrefix(runId), ROW_PART);
export const measurementIdOfSamples = (key: string, runId: string) =>
  idIn(key, measurementSamplesPrefix(runId), MEASUREMENT_SAMPLES);

function idIn(key: string, prefix: string, pattern: RegExp): string {
  const [, measurementId] = pattern.exec(key.slice(prefix.length)) ?? [];
  if (measurementId === undefined) throw new Error(`${key}: must be the key of a measurement below ${prefix}`);
  return measurementId;
}

// Keys of table rows. The partition `day` (UTC, `YYYY-MM-DD`) is the day on which the run was planned or, for live
// samples, the day of the chunk's first line.
export const liveSamplesPrefix = (day: string, runId: string) => `live_samples/day=${day}/run_id=${runId}/`;
export const liveSamplesKey = (day: string, stream: Omit<StreamIdentity, 'userId'>, sequence: number) =>
  `${liveSamplesPrefix(day, stream.runId)}${stream.measurementId}.${stream.hostRole}.${part(sequence)}`;
export const samplesPrefix = (metric: Metric, day: string, runId: string) =>
  `samples/metric=${metric}/day=${day}/${runId}.`;
/** @param piece 0 for the first measurements of the plan, 1 for the next ones, and so on */
export const samplesKey = (metric: Metric, day: string, runId: string, piece: number) =>
  `${samplesPrefix(metric, day, runId)}${String(piece).padStart(4, '0')}.ndjson.gz`;
export const measurementRowsKey = (day: string, runId: string) => `measurements/day=${day}/${runId}.ndjson.gz`;
const liveMeasurementsPrefix = (day: string, runId: string) => `live_measurements/day=${day}/${runId}.`;
export const liveMeasurementRowKey = (day: string, runId: string, measurementId: string) =>
  `${liveMeasurementsPrefix(day, runId)}${measurementId}.ndjson`;
export const pairRowsKey = (day: string, runId: string) => `pairs/day=${day}/${runId}.ndjson.gz`;
export const runRowKey = (day: string, runId: string) => `runs/day=${day}/${runId}.ndjson`;

// Closed months: their rows as Parquet, what each generation was made of, and the list of all that are in use.
export const CLOSED_PREFIX = 'closed/';
export const CLOSED_MONTHS_KEY = 'closed_months/months.ndjson';
const closedFolder = (folder: string, { month, generation }: GenerationOfMonth) =>
  `${CLOSED_PREFIX}${folder}/month=${month}/${generation}.`;
export const closedPiecePrefix = (table: ClosedTable, of: GenerationOfMonth) => closedFolder(table, of);
/** @param piece 0 for the first days of the month, and so on */
export const closedPieceKey = (table: ClosedTable, of: GenerationOfMonth, piece: number) =>
  `${closedPiecePrefix(table, of)}${String(piece).padStart(4, '0')}.parquet`;
export const closedManifestKey = (of: GenerationOfMonth) => `${closedFolder('manifests', of)}json.gz`;

/** The tables whose rows are closed by month. */
export const CLOSED_TABLES = ['runs', 'pairs', 'measurements'] as const;
export type ClosedTable = (typeof CLOSED_TABLES)[number];
/** The key of the rows that a run wrote, by table. */
export const OPEN_ROWS_KEYS: Readonly<Record<ClosedTable, (day: string, runId: string) => string>> = {
  runs: runRowKey,
  pairs: pairRowsKey,
  measurements: measurementRowsKey,
};

/** The Parquet objects that one closing makes of a month. */
export interface GenerationOfMonth {
  /** UTC, `YYYY-MM`. */
  readonly month: string;
  /** Begins with the time of the closing (`generationTime`). */
  readonly generation: string;
}

/** @param closing differs for each closing, so that two at once don't write the same objects */
export const generationName = (begunAt: Date, closing: string) =>
  `${begunAt.toISOString().replace(/[-:.]/g, '')}-${closing}`;

const GENERATION = /\/([0-9]{4})([0-9]{2})([0-9]{2}T[0-9]{2})([0-9]{2})([0-9]{2})([0-9]{3}Z-[^/.]+)\.[^/]+$/;

/** Reads from a key below `closed/` which generation has the object, and when its closing began. @throws for other keys */
export function parseClosedKey(key: string): { readonly generation: string; readonly begunAt: Date } {
  const [, year, month, dayAndHour, minute, second, rest] = GENERATION.exec(key) ?? [];
  if (rest === undefined) throw new Error(`${key}: must be an object of a closed month`);
  return {
    generation: [year, month, dayAndHour, minute, second, rest].join(''),
    begunAt: new Date(`${year}-${month}-${dayAndHour}:${minute}:${second}.${rest.slice(0, 4)}`),
  };
}

/** The rows of a month that runs wrote, and no closing. */
export const openRowsPrefix = (table: ClosedTable, month: string) => `${table}/day=${month}-`;
const OPEN_ROWS = new RegExp(`^[a-z]+/day=([0-9-]{10})/(${ID_PATTERN_TEXTS.runId})\\.ndjson(\\.gz)?$`);

/** @throws for the key of anything but the rows that a run wrote */
export function parseOpenRowsKey(key: string): { readonly day: string; readonly runId: string } {
  const [, day, runId] = OPEN_ROWS.exec(key) ?? [];
  if (day === undefined || runId === undefined) throw new Error(`${key}: must be the rows of a run`);
  return { day, runId };
}

// Documents of a run.
export const reportPrefix = (runId: string) => `${REPORTS_PREFIX}${runId}/`;
/** Names the execution of the run. It is written once, before any other document of the run. */
export const executionKey = (runId: string) => `${reportPrefix(runId)}execution.json`;
export const planKey = (runId: string) => `${reportPrefix(runId)}plan.json`;
/** The forecast from before the first launch. */
export const forecastKey = (runId: string) => `${reportPrefix(runId)}forecast.json`;
export const costKey = (runId: string) => `${reportPrefix(runId)}cost.json`;
export const pairsPrefix = (runId: string) => `${reportPrefix(runId)}pairs/`;
/** The hosts of a pair. launch-pair writes it; it is needed to find the hosts' raw streams. */
export const pairHostsKey = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}.json`;
/** The time of the first attempt to launch a pair, written once so that every retry asks EC2 for the same hosts. */
export const launchIntentKey = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}-launch.json`;
/** What an attempt to launch a pair had launched before EC2 refused it. */
export const refusedLaunchPrefix = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}-refused-`;
/** @param attempt index into the candidate subnets */
export const refusedLaunchKey = (runId: string, pairId: string, attempt: number) =>
  `${refusedLaunchPrefix(runId, pairId)}${String(attempt).padStart(2, '0')}.json`;
/** The result of `probe-path` for a pair in the account's own network. */
export const probedPathKey = (runId: string, pairId: string) => `${pairsPrefix(runId)}${pairId}-path.json`;
export const measurementResultPrefix = (runId: string) => `${reportPrefix(runId)}measurements/`;
/** The whole result of one measurement; its row in `measurements/` has a subset. */
export const measurementResultKey = (runId: string, measurementId: string) =>
  `${measurementResultPrefix(runId)}${measurementId}.json`;
/** Beside the report: the series of each measurement as CSV for spreadsheets. Each sample is in `measurement_samples`. */
export const seriesPrefix = (runId: string) => `${reportPrefix(runId)}series/`;
export const seriesCsvKey = (runId: string, measurementId: string) => `${seriesPrefix(runId)}${measurementId}.csv.gz`;

/**
 * Finds the files of each measurement's series. Up to 0.3.0 they were `.csv` and `.ndjson`; a later analysis writes a
 * `.csv.gz` beside them, which then is the only one that counts.
 *
 * @param keys below the prefix of one run's series
 * @returns names as links from the report, by measurement id
 */
export function seriesFilesOf(runId: string, keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const idOf = (key: string) => key.slice(seriesPrefix(runId).length).split('.', 1).join();
  return new Map(
    [...groupBy(keys, idOf)].map(([id, ofMeasurement]) => {
      const current = ofMeasurement.filter((key) => key === seriesCsvKey(runId, id));
      const found = current.length > 0 ? current : ofMeasurement;
      return [id, found.map((key) => key.slice(reportPrefix(runId).length))];
    }),
  );
}
export const summaryKey = (runId: string) => `${reportPrefix(runId)}summary.json`;
export const reportKey = (runId: string) => `${reportPrefix(runId)}report.html`;
/** Records that the message and the metrics about the end of a run were published, so that neither is repeated. */
export const publishedKey = (runId: string) => `${reportPrefix(runId)}published.json`;

const REPORT = new RegExp(`^${REPORTS_PREFIX}(${ID_PATTERN_TEXTS.runId})/report\\.html$`);

export function runIdOfReport(key: string): string | undefined {
  return REPORT.exec(key)?.[1];
}

// Keys over all runs.
export const HISTORY_PREFIX = 'history/';
/** A digest of each run that has a summary. */
export const HISTORY_KEY = `${HISTORY_PREFIX}runs.json.gz`;
/** The index page over all runs. */
export const INDEX_KEY = 'index.html';

/** A folder in which every object of a run is, and what the keys of the run begin with in each folder below it. */
export interface KeysOfRun {
  readonly folder: string;
  readonly begin: string;
}

/** Where the keys of a run have a part that its id doesn't tell: days, metrics, and the ids of hosts. */
export const keysBelowFolders = (runId: string, metrics: readonly string[]): readonly KeysOfRun[] => [
  { folder: RAW_PREFIX, begin: `${runId}/` },
  { folder: 'live_samples/', begin: `run_id=${runId}/` },
  // No id has a dot, so that none begins like another one with it.
  ...[
    'live_measurements/',
    'measurements/',
    'pairs/',
    'runs/',
    ...metrics.map((name) => `samples/metric=${name}/`),
  ].map((folder) => ({ folder, begin: `${runId}.` })),
];
