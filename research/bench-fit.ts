/** Measures the processor time of fitting every recorded type to a day of 300 s averages and to a month of 60 s ones. */
import { PUBLISHED_TYPES } from '../bin/published-types';
import { pricesOf } from '../domain/forecast/prices/price-table';
import { examinedTypes } from '../domain/fit/examined-type';
import { fitTypes } from '../domain/fit/type-fit';
import { randomNumbers } from '../domain/maths/random-order';

const { examined } = examinedTypes(PUBLISHED_TYPES, pricesOf('us-east-1').prices);
const random = randomNumbers(1);

for (const [what, seconds, count] of [
  ['a day of 300 s averages', 300, 288],
  ['a month of 60 s averages', 60, 43_200],
] as const) {
  const series = (['in', 'out'] as const).map((direction) => ({
    instance: 'a host',
    direction,
    intervals: Array.from({ length: count }, (_, index) => ({
      startSeconds: index * seconds,
      lengthSeconds: seconds,
      bitsPerSecond: random() < 0.1 ? 10e9 * random() : 1e9 * random(),
    })),
  }));
  const before = process.cpuUsage();
  const fits = fitTypes({ series, startSeconds: 0, read: [] }, examined);
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${what}, both directions, ${fits.length} of ${PUBLISHED_TYPES.length} types: ${((user + system) / 1e6).toFixed(2)} s of processor time`,
  );
}
