/** What ENA Express carried of a host's packets while it was measured: that it is on does not mean that it is used. */
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { EnaSrdPackets } from '../model/result';

/**
 * @returns undefined where the driver has no such counters, or began them anew meanwhile
 * Names and meaning: EC2 User Guide, "Metrics for ENA Express".
 */
export function enaSrdPackets(lines: readonly RawLine[]): EnaSrdPackets | undefined {
  const readings = lines.filter((line): line is CounterLine => line.source === 'ethtool');
  const [sent, eligible, received] = ['ena_srd_tx_pkts', 'ena_srd_eligible_tx_pkts', 'ena_srd_rx_pkts'].map((name) => {
    const first = readings[0]?.counters[name];
    const last = readings.at(-1)?.counters[name];
    return first === undefined || last === undefined || last < first ? undefined : last - first;
  });
  if (sent === undefined || eligible === undefined || received === undefined) return undefined;
  return { sent, eligible, received };
}
