/** How many packets of a host ENA Express carried while it was measured: being on does not mean being used. */
import type { RawLine } from '../model/raw-chunk';
import type { EnaSrdPackets } from '../model/result';
import { growthOf, readingsOf } from './counter-samples';

/**
 * Names and meaning of the counters: EC2 User Guide, "Metrics for ENA Express".
 *
 * @returns undefined where the driver has no such counters, or reset them during the measurement
 */
export function enaSrdPackets(lines: readonly RawLine[]): EnaSrdPackets | undefined {
  const readings = readingsOf(lines, 'ethtool');
  const grown = (counter: string) => growthOf(counter, readings[0], readings.at(-1));
  const sent = grown('ena_srd_tx_pkts');
  const eligible = grown('ena_srd_eligible_tx_pkts');
  const received = grown('ena_srd_rx_pkts');
  if (sent === undefined || eligible === undefined || received === undefined) return undefined;
  return { sent, eligible, received };
}
