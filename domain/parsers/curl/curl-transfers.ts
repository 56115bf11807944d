/**
 * What the driver of parallel curl prints (`ssm-documents/shared/curl_streams.py`): JSON, one event a line. `start` says
 * what was asked for, `transfer` is one that has ended, `end` says that the time is over. Without `end` a stream failed, in
 * the words behind `ERROR: `, or the host did.
 */
import { withoutAbsent } from '../tool-series';
import type { ThroughputOutput } from '../tool-output';

/** One transfer of one stream; that the time was over before its end is no fault of it. */
export interface CurlTransfer {
  readonly stream: number;
  /** From the start of all streams. */
  readonly startSeconds: number;
  readonly seconds: number;
  readonly bytes: number;
  /** 0: there was no answer. */
  readonly httpCode: number;
  readonly curlExitCode: number;
}

export interface CurlOutput extends ThroughputOutput {
  readonly tool: 'curl';
  readonly transfers: readonly CurlTransfer[];
}

type Event = Readonly<Record<string, unknown>>;

const TRANSFER_FIELDS = ['stream', 'startSeconds', 'seconds', 'bytes', 'httpCode', 'curlExitCode'] as const;

export function parseCurlTransfers(text: string): CurlOutput {
  const lines = text.split('\n').map((line) => line.trim());
  const events = lines.flatMap(eventOf);
  const start = events.find((event) => event.event === 'start');
  const hasEnded = events.some((event) => event.event === 'end');
  const transfers = events.flatMap(transferOf);
  const errors = lines.flatMap((line) => /^ERROR: (?<words>.+)$/.exec(line)?.groups?.words ?? []);
  const durationSeconds = numberOf(start, 'durationSeconds');
  const reverse = start?.operation !== 'upload';
  const reason = errors.at(-1) ?? missingPart(start, hasEnded, transfers);
  return withoutAbsent({
    kind: 'throughput' as const,
    tool: 'curl' as const,
    role: 'client' as const,
    protocol: 'tcp' as const,
    toolVersion: typeof start?.toolVersion === 'string' ? start.toolVersion : undefined,
    durationSeconds,
    parallelStreams: numberOf(start, 'streams'),
    reverse,
    bidirectional: false,
    // Averages of whole transfers are no series; the counters beside them are.
    intervals: [],
    summaries:
      reason !== undefined || durationSeconds === undefined
        ? []
        : [
            {
              direction: reverse ? ('reverse' as const) : ('forward' as const),
              side: reverse ? ('receiver' as const) : ('sender' as const),
              startSeconds: 0,
              endSeconds: durationSeconds,
              bitsPerSecond: (totalBytes(transfers) * 8) / durationSeconds,
            },
          ],
    transfers,
    complete: reason === undefined,
    incompleteReason: reason,
    errors,
    warnings: [],
  });
}

/** Without what was sent to be refused. An upload that the time cuts off has no answer (0), and counts. */
export function totalBytes(transfers: readonly CurlTransfer[]): number {
  return transfers.reduce((total, { bytes, httpCode }) => total + (httpCode < 300 ? bytes : 0), 0);
}

/** Of its lines: the one that everything is counted from, and those after which nothing is transferred any more. */
export function eventNameOf(line: string): string | undefined {
  if (line.startsWith('ERROR: ')) return 'error';
  const name = eventOf(line)[0]?.event;
  return typeof name === 'string' ? name : undefined;
}

function eventOf(line: string): Event[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line) as Event];
  } catch {
    // A line that was cut off: what it would have said is missing, and that is told by what is there.
    return [];
  }
}

function transferOf(event: Event): CurlTransfer[] {
  if (event.event !== 'transfer') return [];
  const fields = TRANSFER_FIELDS.map((field) => [field, numberOf(event, field)] as const);
  if (fields.some(([, value]) => value === undefined)) return [];
  return [Object.fromEntries(fields) as unknown as CurlTransfer];
}

function numberOf(event: Event | undefined, field: string): number | undefined {
  const value = event?.[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function missingPart(
  start: Event | undefined,
  hasEnded: boolean,
  transfers: readonly CurlTransfer[],
): string | undefined {
  if (start === undefined) return 'no transfer was begun';
  if (!hasEnded) return 'the transfers did not go on to their end';
  const silent = Array.from({ length: numberOf(start, 'streams') ?? 0 }, (_, index) => index + 1).filter(
    (stream) => totalBytes(transfers.filter((transfer) => transfer.stream === stream)) === 0,
  );
  return silent.length > 0 ? `nothing was transferred by stream ${silent.join(', ')}` : undefined;
}
