/**
 * The format of what the streamer on a host (`ssm-documents/shared/stream.py`) writes to S3: gzip NDJSON chunks and, at
 * the end, a manifest. The first line of a chunk is a `ChunkHeader`, all others are `RawLine`s. Chunk 0 also has the
 * host facts. A host can be damaged, and its root can write anything, so every chunk is checked against these forms.
 */
import * as z from 'zod';
import { HOST_ROLES } from './host-role';

export const CHUNK_SCHEMA = 'network-benchmark.chunk.v1';
export const MANIFEST_SCHEMA = 'network-benchmark.manifest.v1';

/**
 * What the objects of a stream may have at most; a stream with more is not the streamer's. The streamer cuts a chunk at
 * 4 MiB, to which one reading of a tool that floods its output can add 7 MiB of newlines with their times; compressed,
 * text takes at most nine tenths of the 4 MiB, and newlines nothing. Of a stream it keeps 200 MB of output, besides 6 MB
 * of counters in two hours; 64 streams of iperf3 in both directions print 0.95 million lines in that time, and a manifest
 * takes 300 bytes for each of their 760 chunks.
 */
export const CHUNK_LIMITS = { storedBytes: 8 * 2 ** 20, bytes: 12 * 2 ** 20, lines: 220_000, lineBytes: 2 ** 20 };
export const STREAM_LIMITS = {
  objects: 1_000,
  bytes: 220e6,
  lines: 1_200_000,
  manifestBytes: 2 ** 20,
  seconds: 10_800,
};

/** No host's clock is off by decades, and JavaScript has no dates beyond some 270,000 years. */
const unixSeconds = z
  .number()
  .min(Date.UTC(2000) / 1000)
  .max(Date.UTC(2100) / 1000);
const wholeNumber = z.number().int().min(0);

const name = z.string().max(200);
/** Counts the elements before it looks at them, because each wrong one would be a problem of its own in memory. */
const listOf = <Element extends z.ZodType>(element: Element, atMost: number) =>
  z.array(z.unknown()).max(atMost).pipe(z.array(element)).readonly();
const recordOf = <Value extends z.ZodType>(value: Value, atMost: number) =>
  z
    .custom<object>((record) => Object.keys(Object(record) as object).length <= atMost, `must have ${atMost} at most`)
    .pipe(z.record(name, value))
    .readonly();

const streamFacts = {
  runId: name,
  pairId: name,
  measurementId: name,
  hostRole: z.enum(HOST_ROLES),
  instanceId: name,
  tool: name,
  toolVersion: name,
  /** argv of the tool. */
  command: listOf(z.string().max(10_000), 1_000),
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
 * - `interface`: counters of the measured interface, from /sys/class/net/<if>/statistics; `tcp_timeouts`: how often the
 * retransmission timer of any TCP connection of the host ran out
 * - `ethtool`: its driver's counters of exceeded allowances and of ENA Express, from `ethtool -S`
 * - `cpu`: `user_seconds` and `system_seconds` of the tool's process and its descendants, ended ones included;
 * `waiting_seconds`: their threads could run but waited for a processor; `steal_seconds`: the hypervisor withheld any
 * of the host's processors; `pressure_seconds`: anything on the host waited for a processor. The last three are absent
 * if the kernel does not count them.
 */
const counterLine = z.object({
  time: unixSeconds,
  source: z.enum(['interface', 'ethtool', 'cpu']),
  counters: recordOf(z.number().min(0), 100),
});
export type CounterLine = Readonly<z.infer<typeof counterLine>>;

/** The host facts that `prepare-host` recorded; keys as in `HostFacts`. */
const factsLine = z.object({
  time: unixSeconds,
  source: z.literal('facts'),
  facts: recordOf(z.union([z.string().max(1_000), z.number(), z.boolean()]), 100),
});

export const rawLineSchema = z.discriminatedUnion('source', [toolLine, counterLine, factsLine]);
export type RawLine = Readonly<z.infer<typeof rawLineSchema>>;

const manifestChunk = z.object({
  sequence: wholeNumber,
  key: z.string().max(1_024),
  /** Hexadecimal hash of the compressed object as uploaded. */
  sha256: name,
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
  signal: name.nullable(),
  chunks: listOf(manifestChunk, STREAM_LIMITS.objects),
  /** Number of lines of all chunks. */
  lineCount: wholeNumber,
  /** What the streamer left out, and why. */
  faults: listOf(z.string().max(1_000), 100).optional(),
  /** What went wrong on the host and cost the stream nothing. */
  warnings: listOf(z.string().max(1_000), 100).optional(),
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
