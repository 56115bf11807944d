/**
 * A measurement from parallel curl. Its series are the client's interface counters, because curl prints only averages,
 * which hide a throttle. Each stream's own figures are curl's.
 */
import {
  clientFacts,
  NO_CLIENT_STREAM,
  nothingAssembled,
  type AssembledMeasurement,
} from '../../assembly/assemble-measurement';
import { countersOfHosts, growthOf, readingsOf, throughputFromCounters } from '../../assembly/counter-samples';
import { reasonOf, timeOfLine, toolText, type MeasurementStreams, type RawStream } from '../../assembly/raw-streams';
import { throughputQuantiles } from '../../assembly/throughput-statistics';
import { groupBy } from '../../maths/elements';
import { median } from '../../maths/statistics';
import type { StreamStatistics } from '../../model/statistics';
import { eventNameOf, parseCurlTransfers, totalBytes, type CurlTransfer } from './transfers';

/** Ethernet, IPv4 and TCP with its timestamps: what the interface counts of a packet and curl does not. */
const HEADER_BYTES = 14 + 20 + 32;
/** By how much the sum of the streams may differ from the interface's count. */
const SUM_TOLERANCE = 0.05;

export function assembleCurlStreams({ client, server }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) return nothingAssembled(NO_CLIENT_STREAM);
  const output = parseCurlTransfers(toolText(client));
  const originSeconds = timeOfEvent(client, ['start']);
  if (originSeconds === undefined) return nothingAssembled(reasonOf(output, client));
  const toSeconds = loadSeconds(client, originSeconds, output.durationSeconds);
  const span = { direction: output.reverse ? 'reverse' : 'forward', originSeconds, fromSeconds: 0, toSeconds } as const;
  const series = throughputFromCounters(client, span, output.reverse ? 'received' : 'sent');
  return {
    samples: [...series, ...countersOfHosts({ client, server }, span)],
    statistics: {
      throughputBitsPerSecond: throughputQuantiles(series),
      streams: streamStatistics(ratesOf(output.transfers, toSeconds)),
    },
    ...clientFacts(output, client),
    reason: output.incompleteReason,
    warnings: output.complete ? sumWarning(client, output.transfers, span, output.reverse ? 'rx' : 'tx') : [],
  };
}

function timeOfEvent(stream: RawStream, events: readonly string[]): number | undefined {
  return timeOfLine(stream, (line) => events.includes(eventNameOf(line) ?? ''));
}

/** Until the time was over or a stream failed. A host that died reports neither, and its counters end with it. */
function loadSeconds(client: RawStream, originSeconds: number, durationSeconds = Infinity): number {
  const endSeconds = timeOfEvent(client, ['end', 'error']) ?? Infinity;
  return Math.min(durationSeconds, endSeconds - originSeconds);
}

/** Bits per second by stream, over the whole time with the gaps between its transfers: the rates add up to the whole. */
function ratesOf(transfers: readonly CurlTransfer[], seconds: number): Map<number, number> {
  const streams = groupBy(transfers, ({ stream }) => stream);
  return new Map([...streams].map(([stream, ofStream]) => [stream, (totalBytes(ofStream) * 8) / seconds]));
}

/** Both count the same traffic: where they differ, there was other traffic, or the figures of a stream are wrong. */
function sumWarning(
  client: RawStream,
  transfers: readonly CurlTransfer[],
  { originSeconds, toSeconds }: { readonly originSeconds: number; readonly toSeconds: number },
  prefix: 'rx' | 'tx',
): string[] {
  // From before the load until after it.
  const readings = readingsOf(client.lines, 'interface');
  const before = readings.findLast(({ time }) => time <= originSeconds);
  const after = readings.find(({ time }) => time >= originSeconds + toSeconds);
  const bytes = growthOf(`${prefix}_bytes`, before, after);
  const packets = growthOf(`${prefix}_packets`, before, after);
  const streamBytes = totalBytes(transfers);
  if (bytes === undefined || packets === undefined || streamBytes === 0) return [];
  const interfaceBytes = bytes - packets * HEADER_BYTES;
  const difference = interfaceBytes / streamBytes - 1;
  if (Math.abs(difference) <= SUM_TOLERANCE) return [];
  const more = difference > 0 ? 'more' : 'less';
  return [
    `the interface counted ${Math.abs(difference * 100).toFixed(0)} % ${more} than the streams transferred, headers apart`,
  ];
}

/**
 * A stream is a straggler when it is slower than this share of the median of the others, in which one fast or slow stream
 * does not matter; without the stream itself the rule works for two. Flows that share a link fairly differ by a tenth to
 * a fifth over minutes, and the stragglers seen on S3 ran at half the speed.
 */
const STRAGGLER_SHARE = 2 / 3;

/** @param rates bits per second of each stream, by its number */
export function streamStatistics(rates: ReadonlyMap<number, number>): StreamStatistics[] {
  return [...rates]
    .sort(([left], [right]) => left - right)
    .map(([stream, throughputBitsPerSecond]) => {
      const others = [...rates].flatMap(([other, rate]) => (other === stream ? [] : [rate]));
      return {
        stream: String(stream),
        throughputBitsPerSecond,
        isStraggler: others.length > 0 && throughputBitsPerSecond < STRAGGLER_SHARE * median(others),
      };
    });
}
