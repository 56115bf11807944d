import { expect, test } from '@jest/globals';
import { interfaceBytes } from '../../../domain/assembly/counter-samples';
import type { CounterLine, RawLine } from '../../../domain/model/raw-chunk';

const reading = (time: number, sent: number, received: number): CounterLine => ({
  time,
  source: 'interface',
  counters: { tx_bytes: sent, rx_bytes: received },
});

test('is what the interface carried from the first reading to the last', () => {
  const lines: RawLine[] = [
    { time: 0, source: 'stdout', line: 'Connecting' },
    reading(0, 1_000, 5_000),
    reading(1, 4_000, 5_500),
    reading(2, 11_000, 6_000),
  ];
  expect(interfaceBytes(lines)).toEqual({ sent: 10_000, received: 1_000 });
});

test.each<[string, RawLine[]]>([
  ['no reading', [{ time: 0, source: 'stdout', line: 'Connecting' }]],
  ['one reading, which has no growth', [reading(0, 1_000, 5_000)]],
  ['counters that began anew', [reading(0, 1_000, 5_000), reading(1, 10, 20)]],
])('%s tells nothing, and not 0', (_, lines) => {
  expect(interfaceBytes(lines)).toBeUndefined();
});
