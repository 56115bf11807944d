/** Whether the path between two hosts was cut, which leaves tools waiting for each other until their time limit. */
import { largest, smallest } from '../maths/statistics';
import type { HostRole } from '../model/host-role';
import type { CounterLine } from '../model/raw-chunk';
import { growthOf, readingsOf } from './counter-samples';
import type { MeasurementStreams } from './raw-streams';

/** Below this share of its busiest second, a host receives nothing but its own traffic with AWS. */
const SILENT_SHARE = 0.05;
const FEWEST_SILENT_SECONDS = 5;
/** A single one may be of a connection to AWS. */
const FEWEST_TIMEOUTS = 2;

/**
 * A tool that hangs is silent, too, but its kernel still acknowledges what arrives. Only if nothing arrives, the other
 * kernel's retransmission timer runs out. Both hosts must have gone on, or else one of them was lost and not the path.
 *
 * @returns undefined unless all of this is seen
 */
export function cutPathReason({ client, server }: MeasurementStreams): string | undefined {
  if (client === undefined || server === undefined) return undefined;
  const hosts = (['client', 'server'] as const).map((hostRole) => {
    const readings = readingsOf({ client, server }[hostRole].lines, 'interface');
    return { hostRole, readings, ...lastArrival(readings) };
  });
  const receiver = hosts.reduce((most, host) => (host.busiest > most.busiest ? host : most));
  const from = receiver.endSeconds;
  const to = smallest(hosts.map(({ readings }) => readings.at(-1)?.time ?? 0));
  if (to - from < FEWEST_SILENT_SECONDS) return undefined;
  const ofHosts = hosts.map(({ readings }) => {
    const silent = readings.filter(({ time }) => time >= from && time <= to);
    return growthOf('tcp_timeouts', silent[0], silent.at(-1)) ?? 0;
  });
  const timeouts = largest(ofHosts);
  if (timeouts < FEWEST_TIMEOUTS) return undefined;
  return (
    `the path between the hosts was cut: ${lastly(receiver.hostRole, from - client.header.startedAtSeconds)}, although ` +
    `both hosts went on and TCP sent ${timeouts} times again what was not acknowledged`
  );
}

function lastly(receiver: HostRole, afterSeconds: number): string {
  return `nothing arrived at the ${receiver} after second ${Math.round(afterSeconds)}`;
}

/** When the last second ended in which more arrived than little, and how many bytes per second arrived at most. */
function lastArrival(readings: readonly CounterLine[]): { readonly busiest: number; readonly endSeconds: number } {
  const arrivals = readings.slice(1).map((after, index) => {
    const before = readings[index];
    const seconds = after.time - (before?.time ?? after.time);
    return { endSeconds: after.time, rate: seconds > 0 ? (growthOf('rx_bytes', before, after) ?? 0) / seconds : 0 };
  });
  const busiest = largest([0, ...arrivals.map(({ rate }) => rate)]);
  const last = arrivals.findLast(({ rate }) => rate > SILENT_SHARE * busiest);
  return { busiest, endSeconds: last?.endSeconds ?? Infinity };
}
