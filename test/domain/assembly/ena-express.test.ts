import { enaSrdPackets } from '../../../domain/assembly/counter-samples';
import type { CounterLine, RawLine } from '../../../domain/model/raw-chunk';

const reading = (time: number, [sent, eligible, received]: readonly number[]): CounterLine => ({
  time,
  source: 'ethtool',
  counters: {
    bw_in_allowance_exceeded: 0,
    ena_srd_tx_pkts: sent!,
    ena_srd_eligible_tx_pkts: eligible!,
    ena_srd_rx_pkts: received!,
  },
});

test('packets that were carried before the measurement do not count', () => {
  const lines: RawLine[] = [
    { time: 0, source: 'stdout', line: 'Connecting' },
    reading(0, [1000, 2000, 3000]),
    reading(1, [1500, 2600, 3000]),
    reading(2, [1900, 3000, 3001]),
  ];
  expect(enaSrdPackets(lines)).toEqual({ sent: 900, eligible: 1000, received: 1 });
});

test('an idle ENA Express has counts of 0', () => {
  expect(enaSrdPackets([reading(0, [0, 0, 0]), reading(1, [0, 0, 0])])).toEqual({ sent: 0, eligible: 0, received: 0 });
});

test.each([
  ['a driver that counts other things alone', [{ time: 0, source: 'ethtool', counters: { tx_drops: 3 } }]],
  ['no driver that counts', [{ time: 0, source: 'stdout', line: 'Connecting' }]],
  ['a driver that began anew', [reading(0, [10, 20, 30]), reading(1, [1, 2, 3])]],
] as [string, RawLine[]][])('%s tells nothing', (_, lines) => {
  expect(enaSrdPackets(lines)).toBeUndefined();
});
