/**
 * Assembles a measurement from parallel curls. Its series comes from the client's interface counters, because curl
 * prints only averages, which hide a throttle; the figures of each stream are curl's.
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

/** Ethernet, IPv4 and TCP with timestamps: headers that the interface counts and curl does not. */
const HEADER_BYTES = 14 + 20 + 32;
/** How far the sum of the streams may differ from the interface's count, as a share. */
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

/** Returns how long the load lasted. If the host died, it reported no end, and its counters end by themselves. */
function loadSeconds(client: RawStream, originSeconds: number, durationSeconds = Infinity): number {
  const endSeconds = timeOfEvent(client, ['end', 'error']) ?? Infinity;
  return Math.min(durationSeconds, endSeconds - originSeconds);
}

/** Returns bits per second by stream, over the whole time including gaps, so that the rates add up to the whole. */
function ratesOf(transfers: readonly CurlTransfer[], seconds: number): Map<number, number> {
  const streams = groupBy(transfers, ({ stream }) => stream);
  return new Map([...streams].map(([stream, ofStream]) => [stream, (totalBytes(ofStream) * 8) / seconds]));
}

/** Warns if the interface and the streams differ: there was other traffic, or a stream's figures are wrong. */
function sumWarning(
  client: RawStream,
  transfers: readonly CurlTransfer[],
  { originSeconds, toSeconds }: { readonly originSeconds: number; readonly toSeconds: number },
  prefix: 'rx' | 'tx',
): string[] {
  // Compares the readings from before and after the load.
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
 * A stream is a straggler if it is slower than this share of the median of the others. The median ignores one fast or
 * slow stream, and leaving out the stream itself makes the rule work for two. Flows that share a link fairly differ by
 * a tenth to a fifth over minutes; the stragglers seen on S3 ran at half the speed.
 */
const STRAGGLER_SHARE = 2 / 3;

/** @param rates bits per second by the number of the stream */
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
