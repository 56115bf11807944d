/** The order of the columns in closed objects: all of them, once, those first that most questions ask for. */
import { askedFirst } from '../../../domain/tables/closed-months';
import { TABLES } from '../../../domain/tables/columns';

const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

test.each(['runs', 'pairs', 'measurements'] as const)('a closed object of %s has each column once', (table) => {
  const { columns } = TABLES[`closed_${table}`];
  expect(names(askedFirst(columns)).sort()).toEqual(names(columns).sort());
});

test('what the comparison of types reads of measurements lies at the begin, side by side', () => {
  const order = names(askedFirst(TABLES.closed_measurements.columns));
  const read = [
    ...['day', 'generation', 'client_type', 'server_type', 'status', 'setting', 'cell', 'kind', 'verdict_direction'],
    ...['throughput_mean_bits_per_second', 'onset_seconds', 'burst_bits_per_second', 'bucket_bits'],
  ];
  expect(Math.max(...read.map((name) => order.indexOf(name)))).toBeLessThan(19);
  expect(read.filter((name) => !order.includes(name))).toEqual([]);
});
