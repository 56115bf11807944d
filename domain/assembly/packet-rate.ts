/**
 * Turns a measurement that its tool made in bits into one in packets per second. The series is what the receiver's
 * interface counted: a tool counts datagrams only after its host's sockets may have lost some, and for TCP it counts no
 * packets.
 */
import { sum } from '../maths/statistics';
import type { HostRole } from '../model/host-role';
import { meanOf, type Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import { throughputOf, type PacketStatistics } from '../model/statistics';
import type { AssembledMeasurement } from './assemble-measurement';
import { throughputQuantiles } from './throughput-statistics';

const NOTHING_COUNTED = "the receiver's interface counted no packets";

/**
 * Seconds that the load only partly covers have no sample. The tool's own series of what arrived is in bits and is
 * omitted, because it would be taken for the throughput of the types.
 *
 * @param assembled with the counters of both hosts, which end with the load
 */
export function inPackets(assembled: AssembledMeasurement, direction: DrivenDirection): AssembledMeasurement {
  const [senderRole, receiverRole] = ENDPOINTS[direction];
  const loadSeconds = loadEndSeconds(assembled.samples, direction);
  const isWithin = ({ startSeconds, lengthSeconds }: Sample) =>
    startSeconds >= 0 && startSeconds + lengthSeconds <= loadSeconds;
  const counted = (hostRole: HostRole) =>
    assembled.samples.filter(
      (sample) => sample.metric === 'interface' && sample.hostRole === hostRole && isWithin(sample),
    );
  const [sent, received] = [counted(senderRole), counted(receiverRole)];
  const series = received.flatMap((sample): Sample[] => {
    const { hostRole, stream, startSeconds, lengthSeconds, receivedPacketsPerSecond: packetsPerSecond } = sample;
    if (packetsPerSecond === undefined) return [];
    return [{ metric: 'packets', hostRole, direction, stream, startSeconds, lengthSeconds, packetsPerSecond }];
  });
  const others = assembled.samples.filter(({ metric }) => metric !== 'throughput' && metric !== 'stream_throughput');
  const isMeasured = series.length > 0;
  return {
    ...assembled,
    samples: [...series, ...others],
    statistics: isMeasured ? packetStatistics(assembled, { series, sent, received }) : {},
    complete: assembled.complete && isMeasured,
    reason: assembled.reason ?? (isMeasured ? undefined : NOTHING_COUNTED),
  };
}

/** The roles of the sender and the receiver in each direction. */
const ENDPOINTS = {
  forward: ['client', 'server'],
  reverse: ['server', 'client'],
} as const satisfies Record<DrivenDirection, readonly HostRole[]>;

/** The load ends with the tool's series; the host's counters go on. */
function loadEndSeconds(samples: readonly Sample[], direction: DrivenDirection): number {
  return samples
    .filter(({ metric }) => metric === 'throughput' || metric === 'sent_throughput')
    .filter((sample) => sample.direction === direction && sample.stream === 'sum')
    .reduce((latest, { startSeconds, lengthSeconds }) => Math.max(latest, startSeconds + lengthSeconds), 0);
}

interface CountedPackets {
  readonly series: readonly Sample[];
  readonly sent: readonly Sample[];
  readonly received: readonly Sample[];
}

function packetStatistics(
  { samples, statistics }: AssembledMeasurement,
  { series, sent, received }: CountedPackets,
): PacketStatistics {
  const inTool = throughputOf({ kind: 'throughput', statistics })?.main;
  const arrivedBits = meanOf(received, 'receivedBitsPerSecond');
  const arrivedPackets = meanOf(received, 'receivedPacketsPerSecond');
  const exceeded = (hostRole: HostRole, counter: 'ppsAllowanceExceeded' | 'conntrackAllowanceExceeded') => {
    const growth = samples.flatMap((sample) => (sample.hostRole === hostRole ? (sample[counter] ?? []) : []));
    return growth.length === 0 ? undefined : sum(growth);
  };
  return {
    packetsPerSecond: throughputQuantiles(series, 'packetsPerSecond'),
    sentPacketsPerSecond: meanOf(sent, 'sentPacketsPerSecond'),
    packetBytes: arrivedPackets && arrivedBits !== undefined ? arrivedBits / 8 / arrivedPackets : undefined,
    lostPackets: inTool?.lostPackets,
    sentPackets: inTool?.sentPackets,
    retransmits: inTool?.retransmits,
    clientPpsAllowanceExceeded: exceeded('client', 'ppsAllowanceExceeded'),
    serverPpsAllowanceExceeded: exceeded('server', 'ppsAllowanceExceeded'),
    clientConntrackAllowanceExceeded: exceeded('client', 'conntrackAllowanceExceeded'),
    serverConntrackAllowanceExceeded: exceeded('server', 'conntrackAllowanceExceeded'),
  };
}
