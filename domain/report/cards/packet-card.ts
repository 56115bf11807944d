/** The card of a measurement of packets per second. */
import type { MeasurementResult } from '../../model/result';
import { packetsOf } from '../../model/statistics';
import { grouped, kilopackets } from '../../text/format';
import { html, type Html } from '../page/html';
import { factList } from '../page/table-columns';
import { witnessList } from './throughput-card';

export function packetFigures(result: MeasurementResult): Html {
  const { packetVerdict } = result;
  const figures = packetsOf(result);
  const beyond = (client: number | undefined, server: number | undefined) =>
    client === undefined && server === undefined
      ? undefined
      : `${grouped(client) ?? 'unknown'} on the client, ${grouped(server) ?? 'unknown'} on the server`;
  return html`${factList([
    [
      'Beyond the packet-rate allowance',
      beyond(figures?.clientPpsAllowanceExceeded, figures?.serverPpsAllowanceExceeded),
    ],
    [
      'Beyond the allowance of tracked connections',
      beyond(figures?.clientConntrackAllowanceExceeded, figures?.serverConntrackAllowanceExceeded),
    ],
    ['Datagrams lost', figures?.lostPackets !== undefined && grouped(figures.lostPackets)],
    ['Retransmits', figures?.retransmits !== undefined && grouped(figures.retransmits)],
  ])}
  ${witnessList(packetVerdict?.witnesses ?? [])}`;
}

export function packetHeadline(result: MeasurementResult): string | undefined {
  const mean = kilopackets(packetsOf(result)?.packetsPerSecond?.mean);
  return mean === undefined ? undefined : `${mean} thousand packets/s`;
}
