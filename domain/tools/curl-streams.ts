/**
 * A measurement out of parallel curl: its series are the client's interface counters, second by second, because curl knows
 * averages only, which hide a throttle; each stream's own figures are curl's.
 */
import {
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
  type RawStream,
} from '../assembly/assemble-measurement';
import { throughputFromCounters } from '../assembly/assemble-from-counters';
import { counterSamples } from '../assembly/counter-samples';
import type { CounterLine } from '../model/raw-chunk';
import { eventNameOf, parseCurlTransfers, totalBytes, type CurlTransfer } from '../parsers/curl/curl-transfers';
import { streamStatistics } from '../assembly/stream-statistics';
import { throughputQuantiles } from '../assembly/throughput-statistics';

/** Ethernet, IPv4 and TCP with its timestamps: what the interface counts of a packet and curl does not. */
const HEADER_BYTES = 14 + 20 + 32;
/** By how much the streams' sum may differ from the interface's count. */
const SUM_TOLERANCE = 0.05;

export function assembleCurlStreams({ client, server }: MeasurementStreams): AssembledMeasurement {
  const originSeconds = client && timeOf(client, ['start']);
  if (client === undefined || originSeconds === undefined) {
    const reason = client === undefined ? NO_CLIENT_STREAM : reasonOf(parseCurlTransfers(toolText(client)), client);
    return { samples: [], statistics: {}, complete: false, reason, warnings: [] };
  }
  const output = parseCurlTransfers(toolText(client));
  const load = {
    direction: output.reverse ? 'reverse' : 'forward',
    originSeconds,
    fromSeconds: 0,
    toSeconds: loadSeconds(client, originSeconds, output.durationSeconds),
  } as const;
  const series = throughputFromCounters(client, { ...load, counted: output.reverse ? 'received' : 'sent' });
  const throughputBitsPerSecond = throughputQuantiles(series);
  return {
    samples: [
      ...series,
      ...[client, server].flatMap((stream) =>
        stream === undefined ? [] : counterSamples(stream.lines, { ...load, hostRole: stream.header.hostRole }),
      ),
    ],
    statistics: {
      ...(throughputBitsPerSecond && { throughputBitsPerSecond }),
      streams: streamStatistics(ratesOf(output.transfers, load.toSeconds)),
    },
    complete: output.complete,
    ...(output.incompleteReason !== undefined && { reason: output.incompleteReason }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
    client: output,
    warnings: output.complete ? sumWarning(client, output.transfers, load, output.reverse ? 'rx' : 'tx') : [],
  };
}

function timeOf(stream: RawStream, events: readonly string[]): number | undefined {
  return stream.lines.find((line) => 'line' in line && events.includes(eventNameOf(line.line) ?? ''))?.time;
}

/** Until the time was over or a stream failed; a host that died says nothing of it, and its counters end with it. */
function loadSeconds(client: RawStream, originSeconds: number, durationSeconds = Infinity): number {
  const endSeconds = timeOf(client, ['end', 'error']) ?? Infinity;
  return Math.min(durationSeconds, endSeconds - originSeconds);
}

/** Over the whole time, the gaps between transfers included: the streams' rates are parts of the whole. */
function ratesOf(transfers: readonly CurlTransfer[], seconds: number): Map<number, number> {
  const numbers = [...new Set(transfers.map((transfer) => transfer.stream))];
  return new Map(
    numbers.map((stream) => [
      stream,
      (totalBytes(transfers.filter((transfer) => transfer.stream === stream)) * 8) / seconds,
    ]),
  );
}

/** Both count the same traffic: where they differ, something else was on the interface, or a stream's figures are wrong. */
function sumWarning(
  client: RawStream,
  transfers: readonly CurlTransfer[],
  { originSeconds, toSeconds }: { readonly originSeconds: number; readonly toSeconds: number },
  prefix: 'rx' | 'tx',
): string[] {
  const window = [originSeconds, originSeconds + toSeconds] as const;
  const bytes = counted(client, `${prefix}_bytes`, window);
  const packets = counted(client, `${prefix}_packets`, window);
  const ofStreams = totalBytes(transfers);
  if (bytes === undefined || packets === undefined || ofStreams === 0) return [];
  const ofInterface = bytes - packets * HEADER_BYTES;
  const difference = ofInterface / ofStreams - 1;
  if (Math.abs(difference) <= SUM_TOLERANCE) return [];
  const more = difference > 0 ? 'more' : 'less';
  return [
    `the interface counted ${Math.abs(difference * 100).toFixed(0)} % ${more} than the streams transferred, headers apart`,
  ];
}

/** By how much a counter grew from before the load until after it; undefined where its samples do not reach that far. */
function counted({ lines }: RawStream, counter: string, [from, to]: readonly [number, number]): number | undefined {
  const readings = lines.filter((line): line is CounterLine => line.source === 'interface');
  const before = readings.findLast((reading) => reading.time <= from)?.counters[counter];
  const after = readings.find((reading) => reading.time >= to)?.counters[counter];
  return before === undefined || after === undefined ? undefined : after - before;
}
