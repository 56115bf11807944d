/**
 * Raw streams as the streamer on a host leaves them in the store: iperf3's own lines for a made-up series, cut into
 * chunks of ten seconds, with a manifest at the end unless the host died.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  CHUNK_SCHEMA,
  MANIFEST_SCHEMA,
  type ChunkHeader,
  type RawLine,
  type StreamManifest,
} from '../../domain/model/raw-chunk';
import { CHUNK_SECONDS } from '../../domain/model/service-facts';
import { manifestKey, rawChunkKey, type StreamIdentity } from '../../domain/workflow/object-keys';
import { type HostRole } from '../../domain/model/host-role';
import type { FakeStore } from './fake-store';

export const STARTED_AT_SECONDS = Date.parse('2026-11-20T10:05:00Z') / 1000;

/** The header of a client's first chunk. */
export function chunkHeader(changes: Partial<ChunkHeader> = {}): ChunkHeader {
  return {
    schema: CHUNK_SCHEMA,
    runId: 'run-1',
    pairId: 'p0001',
    measurementId: 'p0001-m01',
    hostRole: 'client',
    instanceId: 'i-1',
    sequence: 0,
    tool: 'iperf3',
    toolVersion: '3.12',
    command: ['iperf3'],
    startedAtSeconds: STARTED_AT_SECONDS,
    ...changes,
  };
}

/**
 * What a tool printed, each line with the time at which its interval ended, after the start of its run in a duty cycle; a
 * line without a time has that of the line before.
 */
export function stampedLines(text: string): RawLine[] {
  let time = STARTED_AT_SECONDS;
  return text.split('\n').map((line): RawLine => {
    const offset = Number(/^run \d+ at ([\d.]+) s: /.exec(line)?.[1] ?? 0);
    const end = /-(\d+\.\d\d) +sec/.exec(line)?.[1];
    if (end !== undefined && !/sender|receiver/.test(line)) time = STARTED_AT_SECONDS + offset + Number(end) + 0.01;
    return { time, source: line.startsWith('iperf3:') ? 'stderr' : 'stdout', line };
  });
}

export interface RawStreamProps {
  readonly identity: StreamIdentity;
  readonly tool: 'iperf3' | 'sockperf';
  readonly command: readonly string[];
  readonly lines: readonly RawLine[];
  /** The host died: everything up to here is in the store, and no manifest. */
  readonly diedAtSeconds?: number;
  readonly exitCode?: number;
}

/** @returns the keys, chunks first, in the order in which they were written */
export function putRawStream(store: FakeStore, props: RawStreamProps): string[] {
  const { identity, tool, command } = props;
  const header = {
    runId: identity.runId,
    pairId: identity.measurementId.slice(0, 5),
    measurementId: identity.measurementId,
    hostRole: identity.hostRole,
    instanceId: identity.userId.split(':')[1]!,
    tool,
    toolVersion: '3.16',
    command,
    startedAtSeconds: STARTED_AT_SECONDS,
  };
  const groups = new Map<number, RawLine[]>();
  for (const line of props.lines) {
    const elapsed = line.time - STARTED_AT_SECONDS;
    if (props.diedAtSeconds !== undefined && elapsed > props.diedAtSeconds) continue;
    const group = Math.max(0, Math.floor(elapsed / CHUNK_SECONDS));
    groups.set(group, [...(groups.get(group) ?? []), line]);
  }
  const chunks = [...groups.values()].map((lines, sequence) => {
    const key = rawChunkKey(identity, sequence);
    const rows = [{ schema: CHUNK_SCHEMA, ...header, sequence }, ...lines];
    const body = new Uint8Array(gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
    store.objects.set(key, body);
    return { sequence, key, sha256: createHash('sha256').update(body).digest('hex'), lineCount: lines.length };
  });
  const keys = chunks.map((chunk) => chunk.key);
  if (props.diedAtSeconds !== undefined) return keys;
  const manifest: StreamManifest = {
    schema: MANIFEST_SCHEMA,
    ...header,
    endedAtSeconds: props.lines.at(-1)!.time,
    exitCode: props.exitCode ?? 0,
    signal: null,
    chunks,
    lineCount: props.lines.length,
  };
  store.putJson(manifestKey(identity), manifest);
  return [...keys, manifestKey(identity)];
}

/** A rate in bits/s for each second. */
export type Series = readonly number[];

//  1.0 ┤▔▔▔▔▔▔▔▔╮
//  0.1 ┤         ╰▁▁▁▁▁▁▁▁     1 Gbit/s until the onset, then 125 Mbit/s, each with a little noise of its own
export function burstThenThrottle(seconds: number, onsetSeconds: number): Series {
  return Array.from({ length: seconds }, (_, second) => {
    const noise = 1 + 0.004 * Math.sin(second * 2.3) + 0.002 * Math.sin(second * 7.1);
    return (second < onsetSeconds ? 1e9 : 125e6) * noise;
  });
}

/** What iperf3 3.16 prints with `-i 1 -f k -V` on either end of a forward TCP measurement. */
export function iperf3Lines(role: HostRole, series: Series, streamCount: number): RawLine[] {
  const at = (seconds: number, line: string): RawLine => ({
    time: STARTED_AT_SECONDS + 0.05 + seconds,
    source: 'stdout',
    line,
  });
  const isClient = role === 'client';
  const ids = Array.from({ length: streamCount }, (_, index) => `[${String(5 + 2 * index).padStart(3)}]`);
  const rate = (start: string, end: string, bits: number) =>
    `${start.padStart(6)}-${end.padEnd(7)} sec  ${(bits / 8 / 2 ** 20).toFixed(1)} MBytes  ${Math.round(bits / 1000)} Kbits/sec`;
  const lines: RawLine[] = [
    at(0, 'iperf 3.16'),
    at(0, isClient ? 'Connecting to host 10.0.0.1, port 5202' : 'Accepted connection from 10.0.0.2, port 39998'),
    ...ids.map((id) => at(0, `${id} local 10.0.0.2 port 40000 connected to 10.0.0.1 port 5202`)),
    at(
      0,
      `Starting Test: protocol: TCP, ${streamCount} streams, 131072 byte blocks, omitting 0 seconds, ${series.length} second test, tos 0`,
    ),
    at(0, `[ ID] Interval           Transfer     Bitrate${isClient ? '         Retr  Cwnd' : ''}`),
  ];
  const tail = (isSum: boolean) => (isClient ? `    0${isSum ? '' : '   1.12 MBytes'}       ` : '                  ');
  for (const [second, bits] of series.entries()) {
    const [start, end] = [second.toFixed(2), (second + 1).toFixed(2)];
    for (const id of ids) lines.push(at(second + 1, `${id} ${rate(start, end, bits / streamCount)}${tail(false)}`));
    if (streamCount > 1) lines.push(at(second + 1, `[SUM] ${rate(start, end, bits)}${tail(true)}`));
    lines.push(at(second + 1, '- - - - - - - - - - - - - - - - - - - - - - - - -'));
  }
  const end = series.length.toFixed(2);
  const mean = series.reduce((sum, bits) => sum + bits, 0) / series.length;
  const summary = (id: string, bits: number) => {
    const line = `${id} ${rate('0.00', end, bits)}`;
    return isClient
      ? [`${line}    0             sender`, `${line}                  receiver`]
      : [`${id} (sender statistics not available)`, `${line}                  receiver`];
  };
  const last = [
    'Test Complete. Summary Results:',
    '[ ID] Interval           Transfer     Bitrate         Retr',
    ...ids.flatMap((id) => summary(id, mean / streamCount)),
    ...(streamCount > 1 ? summary('[SUM]', mean) : []),
    ...(isClient
      ? ['CPU Utilization: local/sender 12.3% (0.4%u/11.9%s), remote/receiver 20.0% (1.8%u/18.2%s)', '', 'iperf Done.']
      : []),
  ];
  return [...lines, ...last.map((line) => at(series.length + 0.1, line))];
}

export function iperf3Command(role: HostRole, seconds: number, streamCount: number): string[] {
  const common = ['stdbuf', '-oL', 'iperf3', '-i', '1', '-f', 'k', '-V', '-p', '5202'];
  if (role === 'server') return [...common, '-s', '-1'];
  return [...common, '-c', '10.0.0.1', '-t', String(seconds), '-P', String(streamCount)];
}

export function textLines(text: string, source: 'stdout' | 'stderr' = 'stdout'): RawLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => ({ time: STARTED_AT_SECONDS + 1 + index / 1000, source, line }));
}

/** Readings of the interface once a second, of counters that grow by so much in each second. */
export function countersOf(
  seconds: number,
  growth: Readonly<Record<string, ((second: number) => number) | undefined>>,
): RawLine[] {
  const counters = Object.fromEntries(Object.entries(growth).flatMap(([name, grows]) => (grows ? [[name, 0]] : [])));
  return Array.from({ length: seconds + 1 }, (_, second): RawLine => {
    const reading = { ...counters };
    for (const name of Object.keys(counters)) counters[name] = counters[name]! + growth[name]!(second);
    return { time: STARTED_AT_SECONDS + second, source: 'interface', counters: reading };
  });
}
