/** How many packets of a host ENA Express carried while it was measured: being on does not mean being used. */
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { EnaSrdPackets } from '../model/result';

/**
 * Names and meaning of the counters: EC2 User Guide, "Metrics for ENA Express".
 *
 * @returns undefined where the driver has no such counters, or reset them during the measurement
 */
export function enaSrdPackets(lines: readonly RawLine[]): EnaSrdPackets | undefined {
  const readings = lines.filter((line): line is CounterLine => line.source === 'ethtool');
  const grown = (counter: string) => {
    const first = readings[0]?.counters[counter];
    const last = readings.at(-1)?.counters[counter];
    return first === undefined || last === undefined || last < first ? undefined : last - first;
  };
  const sent = grown('ena_srd_tx_pkts');
  const eligible = grown('ena_srd_eligible_tx_pkts');
  const received = grown('ena_srd_rx_pkts');
  if (sent === undefined || eligible === undefined || received === undefined) return undefined;
  return { sent, eligible, received };
}
