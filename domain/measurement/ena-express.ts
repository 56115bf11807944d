/** What ENA Express carried of a host's packets while it was measured: that it is on does not mean that it is used. */
import type { CounterLine, RawLine } from './raw-chunk';

/** Packets, as the driver counted them from the first second of the stream to its last. */
export interface EnaSrdPackets {
  /** Over SRD. */
  readonly sent: number;
  /** That could have gone over SRD, those that did among them. */
  readonly eligible: number;
  readonly received: number;
}

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
