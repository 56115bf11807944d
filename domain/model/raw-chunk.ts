/**
 * The format of what the streamer on a host (`ssm-documents/shared/stream.py`) writes to S3: gzip NDJSON chunks and, at
 * the end, a manifest. The first line of a chunk is a `ChunkHeader`, all others are `RawLine`s. Chunk 0 also has the
 * host facts. A host can be damaged, and its root can write anything, so every chunk is checked against these forms.
 */
import * as z from 'zod';
import { HOST_ROLES } from './host-role';

export const CHUNK_SCHEMA = 'network-benchmark.chunk.v1';
export const MANIFEST_SCHEMA = 'network-benchmark.manifest.v1';

/** No host's clock is off by decades, and JavaScript has no dates beyond some 270,000 years. */
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
  /** argv of the tool. */
  command: z.array(z.string()).readonly(),
  startedAtSeconds: unixSeconds,
};

export const chunkHeaderSchema = z.object({
  ...streamFacts,
  schema: z.literal(CHUNK_SCHEMA),
  sequence: wholeNumber,
});
export type ChunkHeader = Readonly<z.infer<typeof chunkHeaderSchema>>;

/** One line of the tool, with the time when it was read (monotonic clock, anchored at the start). */
const toolLine = z.object({ time: unixSeconds, source: z.enum(['stdout', 'stderr']), line: z.string() });
export type ToolLine = Readonly<z.infer<typeof toolLine>>;

/**
 * Cumulative counters, sampled once a second:
 * - `interface`: counters of the measured interface, from /sys/class/net/<if>/statistics
 * - `ethtool`: its driver's counters of exceeded allowances and of ENA Express, from `ethtool -S`
 * - `cpu`: `user_seconds` and `system_seconds` of the tool's process and its descendants, ended ones included;
 * `waiting_seconds`: their threads could run but waited for a processor; `steal_seconds`: the hypervisor withheld any
 * of the host's processors; `pressure_seconds`: anything on the host waited for a processor. The last three are absent
 * if the kernel does not count them.
 */
const counterLine = z.object({
  time: unixSeconds,
  source: z.enum(['interface', 'ethtool', 'cpu']),
  counters: z.record(z.string(), z.number()).readonly(),
});
export type CounterLine = Readonly<z.infer<typeof counterLine>>;

/** The host facts that `prepare-host` recorded; keys as in `HostFacts`. */
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
  /** Hexadecimal hash of the compressed object as uploaded. */
  sha256: z.string(),
  /** Number of `RawLine`s, without the header. */
  lineCount: wholeNumber,
});
export type ManifestChunk = Readonly<z.infer<typeof manifestChunk>>;

/** Written when a stream ends by itself; lists its chunks. Without a manifest, the host died or was cut off. */
export const streamManifestSchema = z.object({
  ...streamFacts,
  schema: z.literal(MANIFEST_SCHEMA),
  endedAtSeconds: unixSeconds,
  /** The tool's exit code; null if a signal ended the tool, which `signal` then names. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  chunks: z.array(manifestChunk).readonly(),
  /** Number of lines of all chunks. */
  lineCount: wholeNumber,
  /** What the streamer left out, and why. */
  faults: z.array(z.string()).readonly().optional(),
});
export type StreamManifest = Readonly<z.infer<typeof streamManifestSchema>>;

/** Facts recorded by `prepare-host`; those that a host does not report are absent. */
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
  /** Packets that the interface's receive and send rings hold. */
  readonly rxRingLength?: number;
  readonly txRingLength?: number;
  /** Whether the kernel limits the bytes that wait in the interface's send queues (BQL). */
  readonly hasByteQueueLimits?: boolean;
  /** Kinds of the queue disciplines, from the root on: `mq fq_codel`. */
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
