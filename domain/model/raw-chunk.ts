/**
 * The format of what the streamer on a host (`ssm-documents/shared/stream.py`) writes to S3: gzip NDJSON chunks and, at
 * the end, a manifest. The first line of a chunk is a `ChunkHeader`, all others are `RawLine`s. Chunk 0 also has the
 * host facts. Hosts can be damaged, and whoever is root on one can write anything: what is not of these forms is a fault
 * of its chunk.
 */
import * as z from 'zod';
import { HOST_ROLES } from './host-role';

export const CHUNK_SCHEMA = 'network-benchmark.chunk.v1';
export const MANIFEST_SCHEMA = 'network-benchmark.manifest.v1';

/** No clock of a host is off by decades, and dates beyond some 270,000 years do not exist in JavaScript. */
const unixSeconds = z
  .number()
  .min(Date.UTC(2000) / 1000)
  .max(Date.UTC(2100) / 1000);
const wholeNumber = z.number().int().min(0);

const streamFacts = {
  runId: z.string(),
  pairId: z.string(),
  measurementId: z.string(),
  hostRole: z.enum(HOST_ROLES),
  instanceId: z.string(),
  tool: z.string(),
  toolVersion: z.string(),
  /** argv of the tool as it was started. */
  command: z.array(z.string()).readonly(),
  /** When the tool was started. */
  startedAtSeconds: unixSeconds,
};

export const chunkHeaderSchema = z.object({
  ...streamFacts,
  schema: z.literal(CHUNK_SCHEMA),
  sequence: wholeNumber,
});
export type ChunkHeader = Readonly<z.infer<typeof chunkHeaderSchema>>;

/** One line of the tool, stamped with the time (monotonic clock, anchored at the start) at which it was read. */
const toolLine = z.object({ time: unixSeconds, source: z.enum(['stdout', 'stderr']), line: z.string() });
export type ToolLine = Readonly<z.infer<typeof toolLine>>;

/**
 * Cumulative counters, sampled once a second:
 * - `interface`: the measured interface's, from /sys/class/net/<if>/statistics
 * - `ethtool`: its driver's counters of allowances exceeded and of ENA Express, from `ethtool -S`
 * - `cpu`: `user_seconds` and `system_seconds` of the tool's process and its descendants, ended ones included;
 *   `waiting_seconds` in which their threads could run and waited for a processor; `steal_seconds` of all the host's
 *   processors, in which it had work to do and did not run; `pressure_seconds` in which anything on the host waited for a
 *   processor. The last three are absent where the kernel does not count them.
 */
const counterLine = z.object({
  time: unixSeconds,
  source: z.enum(['interface', 'ethtool', 'cpu']),
  counters: z.record(z.string(), z.number()).readonly(),
});
export type CounterLine = Readonly<z.infer<typeof counterLine>>;

/** What `prepare-host` recorded of the host; keys as in `HostFacts`. */
const factsLine = z.object({
  time: unixSeconds,
  source: z.literal('facts'),
  facts: z.record(z.string(), z.unknown()).readonly(),
});

export const rawLineSchema = z.discriminatedUnion('source', [toolLine, counterLine, factsLine]);
export type RawLine = Readonly<z.infer<typeof rawLineSchema>>;

const manifestChunk = z.object({
  sequence: wholeNumber,
  key: z.string(),
  /** Hash of the compressed object as it was uploaded; hexadecimal. */
  sha256: z.string(),
  /** Number of `RawLine`s, without the header. */
  lineCount: wholeNumber,
});
export type ManifestChunk = Readonly<z.infer<typeof manifestChunk>>;

/** Written when a stream ends by itself; lists what belongs to it. Without a manifest, the host died or was cut off. */
export const streamManifestSchema = z.object({
  ...streamFacts,
  schema: z.literal(MANIFEST_SCHEMA),
  endedAtSeconds: unixSeconds,
  /** The tool's exit code; null when a signal ended the tool, which `signal` then names. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  chunks: z.array(manifestChunk).readonly(),
  /** Lines of all chunks together. */
  lineCount: wholeNumber,
  /** What the streamer itself left out, and why. */
  faults: z.array(z.string()).readonly().optional(),
});
export type StreamManifest = Readonly<z.infer<typeof streamManifestSchema>>;

/** Recorded by `prepare-host`; what a host does not report is absent. */
export interface HostFacts {
  readonly instanceId?: string;
  readonly kernel?: string;
  readonly operatingSystem?: string;
  readonly architecture?: string;
  readonly vcpuCount?: number;
  readonly networkInterface?: string;
  readonly networkDriver?: string;
  readonly networkDriverVersion?: string;
  readonly queueCount?: number;
  readonly mtuBytes?: number;
  /** ENA Express as the interface's driver reports it: 0 off, 1 on, 3 on for UDP too. */
  readonly enaSrdMode?: number;
  /** Packets that the interface's receive ring holds, and its send ring. */
  readonly rxRingLength?: number;
  readonly txRingLength?: number;
  /** Whether the kernel limits the bytes that wait in the interface's send queues (BQL). */
  readonly hasByteQueueLimits?: boolean;
  /** Their kinds, from the root on: `mq fq_codel`. */
  readonly queueDisciplines?: string;
  readonly cpuModel?: string;
  readonly congestionControl?: string;
  /** net.ipv4.tcp_limit_output_bytes */
  readonly tcpLimitOutputBytes?: number;
  /** net.ipv4.tcp_autocorking */
  readonly hasTcpAutocorking?: boolean;
  /** The reference clock that chrony follows. */
  readonly clockSource?: string;
  readonly clockOffsetMicros?: number;
  readonly agentVersion?: string;
}
