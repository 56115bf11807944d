/** Figures that were computed by hand from the recorded types, prices and buckets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { offlinePlan } from '../../../bin/offline-plan';
import { namedTypes, PUBLISHED_SOURCE, PUBLISHED_TYPES } from '../../../bin/published-types';
import { knownFigures, type KnownFigures, type PublishedType } from '../../../domain/forecast/known-figures';
import { instancePriceSource, pricesOf } from '../../../domain/forecast/prices/price-table';

const SOURCES = { published: PUBLISHED_SOURCE, prices: instancePriceSource('us-east-1') };
const figuresOf = (type: PublishedType) => knownFigures(type, pricesOf('us-east-1').prices, SOURCES);
function ofName(name: string): KnownFigures {
  const [type] = namedTypes([name]);
  if (type === undefined) throw new Error(`no type ${name}`);
  return figuresOf(type);
}
type FigureName = keyof KnownFigures;
const valueOf = (figures: KnownFigures, name: FigureName) => figures[name].value ?? figures[name].absent;

test.each([
  // A recorded bucket: 4 445 Gbit / (9.69 - 1.254 Gbit/s), and 4 445 Gbit / 1.254 Gbit/s.
  ['c5.xlarge', [1.25e9, 10e9, 9.69e9, 526.9, 4445e9, 3544.7, 'unknown', 5e9, 10e9, 'none', 5e9, 1, 0.17]],
  // 10 717 / (9.69 - 5.016), and 10 717 / 5.016.
  ['c5.4xlarge', [5e9, 10e9, 9.69e9, 2292.9, 10_717e9, 2136.6, 'unknown', 5e9, 10e9, 'none', 5e9, 1, 0.68]],
  // No recording; ENA Express; two cards, of which one is used; half of 200 Gbit/s through a gateway.
  ['c6in.32xlarge', [200e9, 200e9, 'none', 'none', 'none', 'none', 'unknown', 5e9, 10e9, 25e9, 100e9, 2, 7.2576]],
  // No cluster placement group.
  [
    't2.micro',
    [64e6, 1.024e9, 1.024e9, undefined, 'unknown', 'unknown', 'unknown', 5e9, 'none', 'none', 5e9, 1, 0.0116],
  ],
  // Flat, as it was seen, although its peak is published to be higher.
  ['m4.large', [0.45e9, 1.2e9, 'none', 'none', 'none', 'none', 'unknown', 5e9, 10e9, 'none', 5e9, 1, 0.1]],
])('%s', (name, expected) => {
  const figures = ofName(name);
  const names = Object.keys(figures) as FigureName[];
  expect(names.map((each) => valueOf(figures, each))).toEqual(
    expected.map((value) =>
      typeof value === 'number' ? (expect.closeTo(value, value < 10 ? 4 : 1) as number) : value,
    ),
  );
});

test('a type that is newer than the price list has no price', () => {
  expect(ofName('r9g.medium').usdPerHour).toMatchObject({ value: null, absent: 'unknown' });
});

test.each([
  // The recordings of c5.xlarge have 4 325 to 4 742 Gbit; idle, credits came back at up to 1.64 times the baseline.
  ['c5.xlarge', 'burstSeconds', 512.7, 562.1],
  ['c5.xlarge', 'refillSeconds', 2103.0, 3781.5],
  ['m6i.large', 'burstSeconds', 300, 3600],
] as const)('%s: the bounds of %s', (type, name, low, high) => {
  const figure = ofName(type)[name];
  expect(figure.low).toBeCloseTo(low, 1);
  expect(figure.high).toBeCloseTo(high, 1);
});

test.each([
  ['c5.xlarge', '527 s'],
  ['c5.4xlarge', '2293 s'],
  ['m6i.large', '300 to 3600 s'],
])('a plan of %s expects the throttle when its burst is known to end: %s', (type, onset) => {
  const { forecastText } = offlinePlan({
    name: 'burst',
    pairs: [{ clientType: type, serverType: type }],
    measurements: [{ tool: 'iperf3', durationSeconds: 3600, parallelStreams: 8 }],
  });
  const { value, low = NaN, high = NaN } = ofName(type).burstSeconds;
  expect(value === null ? `${low} to ${high} s` : `${Math.round(value)} s`).toBe(onset);
  expect(forecastText).toContain(` ${onset} `);
});

test('every figure of every type has a source with a date, and a value or why there is none', () => {
  const wrong = PUBLISHED_TYPES.flatMap((type) =>
    Object.entries(figuresOf(type)).filter(
      ([, { value, low, absent, note = '', source }]) =>
        !/^20\d\d(-\d\d){0,2}$/.test(source.date) ||
        source.text.length < 20 ||
        (value === null && low === undefined) !== (absent !== undefined) ||
        (absent !== undefined && note === '') ||
        (value !== null && !(value > 0 && Number.isFinite(value))),
    ),
  );
  expect(wrong).toEqual([]);
});

test('a type of which EC2 publishes no bandwidth has unknown figures, not zeros', () => {
  const [type] = namedTypes(['c5.9xlarge']) as [PublishedType];
  const { baselineBitsPerSecond: _, peakBitsPerSecond: __, ...silent } = type;
  const figures = figuresOf(silent);
  for (const name of ['baselineBitsPerSecond', 'peakBitsPerSecond', 'burstSeconds', 'bucketBits'] as const)
    expect(figures[name]).toMatchObject({ value: null, absent: 'unknown' });
});

test('the price list of another Region says that it is assumed', () => {
  expect(instancePriceSource('eu-west-1').text).toMatch(
    /^prices in us-east-1, used because those of eu-west-1 are not recorded: AWS Price List/,
  );
});

/** README's first table: each row is one recording, and so within the recordings that are known of its type. */
function objections(markdown: string): string[] {
  const rows = [
    ...markdown.matchAll(/^\| (\S+) → \1 +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) \(.*\) +\| ([\d,]+) +\|$/gm),
  ];
  if (rows.length !== 3) return [`must have 3 rows, got ${rows.length}`];
  return rows.flatMap(([, type = '', burst, baseline, onset, bucket]) => {
    const { burstBitsPerSecond, baselineBitsPerSecond, burstSeconds, bucketBits } = ofName(type);
    const isNear = (one: number, other: number | null) => Math.abs(one / (other ?? NaN) - 1) <= 0.005;
    const isWithin = (value: number, { low = NaN, high = NaN }: { low?: number; high?: number }) =>
      value >= low && value <= high;
    const checks = {
      burst: isNear(Number(burst) * 1e9, burstBitsPerSecond.value),
      baseline: isNear(Number(baseline) * 1e9, baselineBitsPerSecond.value),
      onset: isWithin(Number(onset), burstSeconds),
      bucket: isWithin(Number(bucket?.replace(',', '')) * 1e9, bucketBits),
    };
    return Object.entries(checks).flatMap(([name, isRight]) => (isRight ? [] : `${type}: ${name}`));
  });
}

const README = readFileSync(join(__dirname, '../../../README.md'), 'utf8');

test('README’s first table has the figures of its types', () => {
  expect(objections(README)).toEqual([]);
});

test.each([
  ['| 2,450 ', '| 2,940 ', 'c5.large: bucket'],
  ['| 521.2 (', '| 441.2 (', 'c5.xlarge: onset'],
  ['| 2.51 ', '| 2.61 ', 'c5.2xlarge: baseline'],
  ['c5.large     | 9.69', 'c5.large     | 9.96', 'c5.large: burst'],
])('a wrong figure in it is noticed: %s as %s', (right, planted, objection) => {
  expect(README).toContain(right);
  expect(objections(README.replace(right, planted))).toEqual([objection]);
});
