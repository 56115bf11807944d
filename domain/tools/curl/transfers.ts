/**
 * Parses the JSON events that `ssm-documents/shared/curl_streams.py` prints, one per line: `start` is the request,
 * `transfer` a finished transfer, and `end` the end of the time. Without `end`, a stream failed (`ERROR: ` and the
 * reason) or the host did.
 */
import * as z from 'zod';
import { groupBy } from '../../maths/elements';
import { asAmount, asMessage, asRate, recordIn, type JsonRecord } from '../../parsers/json-text';
import { plainLines } from '../../parsers/text-lines';
import type { ThroughputOutput, ToolSummary } from '../../parsers/tool-output';

/** No plan asks for more streams; the limit bounds the work on a hostile line. */
const MAX_STREAMS = 1000;

/** One transfer of one stream. A transfer that is cut off by the end of the time has not failed. */
const curlTransfer = z.object({
  stream: z.number(),
  /** Seconds from the start of all streams. */
  startSeconds: z.number().min(0),
  seconds: z.number().min(0),
  bytes: z.number().min(0),
  /** The HTTP status; 0 if there was no answer. */
  httpCode: z.number(),
  curlExitCode: z.number(),
});
export type CurlTransfer = Readonly<z.infer<typeof curlTransfer>>;

export function parseCurlTransfers(text: string): ThroughputOutput & { readonly transfers: readonly CurlTransfer[] } {
  const lines = plainLines(text).map((line) => line.trim());
  // A transfer whose line was cut off is left out, and the totals then lack it.
  const events = lines.map(recordIn).filter((event) => event !== undefined);
  const start = events.find((event) => event.event === 'start');
  const hasEnded = events.some((event) => event.event === 'end');
  const transfers = events.flatMap((event) =>
    event.event === 'transfer' ? (curlTransfer.safeParse(event).data ?? []) : [],
  );
  const errors = lines.flatMap((line) => /^ERROR: (.+)$/.exec(line)?.[1] ?? []);
  const durationSeconds = asAmount(start?.durationSeconds);
  const reverse = start?.operation !== 'upload';
  const incompleteReason = errors.at(-1) ?? missingPart(start, hasEnded, transfers);
  const total: ToolSummary | 0 | undefined = durationSeconds && {
    direction: reverse ? 'reverse' : 'forward',
    side: reverse ? 'receiver' : 'sender',
    startSeconds: 0,
    endSeconds: durationSeconds,
    bitsPerSecond: asRate((totalBytes(transfers) * 8) / durationSeconds),
  };
  return {
    kind: 'throughput',
    tool: 'curl',
    role: 'client',
    protocol: 'tcp',
    toolVersion: asMessage(start?.toolVersion),
    durationSeconds,
    parallelStreams: asAmount(start?.streams),
    reverse,
    bidirectional: false,
    // Averages of whole transfers are not a series; the interface counters provide it.
    intervals: [],
    summaries: incompleteReason === undefined && total ? [total] : [],
    transfers,
    complete: incompleteReason === undefined,
    incompleteReason,
    errors,
    warnings: [],
  };
}

/** Omits refused bytes. An upload that is cut off by the end of the time has no answer (code 0) and counts. */
export function totalBytes(transfers: readonly CurlTransfer[]): number {
  return transfers.reduce((total, { bytes, httpCode }) => total + (httpCode < 300 ? bytes : 0), 0);
}

/** @returns the name of the line's event, `error` for an error message, undefined for any other line */
export function eventNameOf(line: string): string | undefined {
  if (line.startsWith('ERROR: ')) return 'error';
  return asMessage(recordIn(line)?.event);
}

function missingPart(start: JsonRecord | undefined, hasEnded: boolean, transfers: readonly CurlTransfer[]) {
  if (start === undefined) return 'no transfer was begun';
  if (!hasEnded) return 'the transfers did not go on to their end';
  const ofStreams = groupBy(transfers, ({ stream }) => stream);
  const streamCount = Math.min(asAmount(start.streams) ?? 0, MAX_STREAMS);
  const silent = Array.from({ length: streamCount }, (_, index) => index + 1).filter(
    (stream) => totalBytes(ofStreams.get(stream) ?? []) === 0,
  );
  return silent.length > 0 ? `nothing was transferred by stream ${silent.join(', ')}` : undefined;
}
