/** What a measurement sent over the network, as it came: by the counters of the interfaces, or else by its tool. */
import { sum } from '../maths/statistics';
import type { MeasurementResult } from '../model/result';
import { latencyOf, throughputOf, type ThroughputStatistics } from '../model/statistics';

export interface MeasuredTraffic {
  /** null: neither counters nor the tool's figures are known. */
  readonly bytes: number | null;
  readonly source: 'interface' | 'tool' | null;
}

/**
 * Bytes that both hosts sent, all of them, whatever arrived: of UDP, what was sent is charged. A host that streams
 * nothing, or sits behind the object store, is counted by what the other one received.
 */
export function measuredTraffic(result: MeasurementResult): MeasuredTraffic {
  const [client, server] = [result.client?.interfaceBytes, result.server?.interfaceBytes];
  const byClient = client?.sent ?? server?.received;
  const byServer = server?.sent ?? client?.received;
  if (byClient !== undefined && byServer !== undefined) return { bytes: byClient + byServer, source: 'interface' };
  const bytes = toolBytes(result);
  return { bytes, source: bytes === null ? null : 'tool' };
}

/** Without headers, acknowledgements and what TCP sent again, which no tool counts. */
function toolBytes(result: MeasurementResult): number | null {
  const { sampleCount: seconds } = result;
  const driven = throughputOf(result);
  if (driven === undefined || seconds === undefined) return null;
  const rates = [driven.main, driven.reverse].flatMap((direction) => (direction ? [sentBitsPerSecond(direction)] : []));
  const known = rates.filter((rate) => rate !== null);
  return known.length < rates.length ? null : (sum(known) * seconds) / 8;
}

/** The mean is what arrived; of UDP datagrams, some were lost on the way. */
function sentBitsPerSecond({ throughputBitsPerSecond, lostPackets, sentPackets }: ThroughputStatistics): number | null {
  if (throughputBitsPerSecond === undefined) return null;
  const { mean } = throughputBitsPerSecond;
  if (lostPackets === undefined || sentPackets === undefined || lostPackets >= sentPackets) return mean;
  return (mean * sentPackets) / (sentPackets - lostPackets);
}

/** Messages of which each is stored: those of a latency tool, or of the probe beside a load. */
export function measuredMessages(result: MeasurementResult): number {
  const probe = throughputOf(result)?.main.loadedLatency;
  const counts = [latencyOf(result)?.observations, probe?.before?.observations, probe?.after?.observations];
  return sum(counts.map((count) => count ?? 0));
}
