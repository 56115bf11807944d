/** Figures that were computed by hand from the recorded types, prices and buckets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { offlinePlan } from '../../../bin/offline-plan';
import { namedTypes, PUBLISHED_SOURCE, PUBLISHED_TYPES } from '../../../bin/published-types';
import { knownFigures, type KnownFigures, type PublishedType } from '../../../domain/forecast/known-figures';
import { typesText } from '../../../domain/terminal/type-table';
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

test('what a deployment measured itself goes before public recordings, with its own source', () => {
  const burst = { burstBitsPerSecond: 9e9, baselineBitsPerSecond: 1e9, measurementCount: 3 };
  const buckets = [
    { instanceType: 'c5.xlarge', ...burst, bucketBits: 4000e9, bucketLowBits: 3200e9, bucketHighBits: 4800e9 },
  ];
  const source = { name: 'own runs', date: '2026-11-28', text: 'measurements of stack Bench' };
  const [own, other] = namedTypes(['c5.xlarge', 'c5.large']).map((type) =>
    knownFigures(type, pricesOf('us-east-1').prices, { ...SOURCES, earlier: { buckets, source } }),
  );
  expect(own).toMatchObject({
    burstBitsPerSecond: { value: 9e9, source },
    burstSeconds: { value: 500, low: 400, high: 600, measurementCount: 3, source },
    bucketBits: { value: 4000e9, low: 3200e9, high: 4800e9, source },
    baselineBitsPerSecond: { value: 1.25e9, source: PUBLISHED_SOURCE },
  });
  expect(other?.bucketBits).toMatchObject({ value: 2483e9, source: { name: 'NSDI' } });
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

/** README's first table is what `npm run types` prints of its types, with or without the range. */
function objections(markdown: string): string[] {
  const table = /^\| type .*\n\| -.*\n((?:\|.*\n)+)/m.exec(markdown);
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [headings = [], , ...rows] = (table?.[0] ?? '').trimEnd().split('\n').map(cellsOf);
  const names = rows.map(([name = '']) => name);
  if (names.length < 3) return [`must have three types or more, got ${names.length}`];
  const types = namedTypes(names).map((type) => ({ type, figures: figuresOf(type) }));
  const printed = columnsOf(typesText(types));
  return rows.flatMap((row, index) =>
    headings.flatMap((heading, at) => {
      const cell = printed.get(heading)?.[index] ?? '';
      return [cell, cell.replace(/ \(.*\)$/, '')].includes(row[at] ?? '') ? [] : `${names[index]}: ${heading}`;
    }),
  );
}

/** The cells of the first table of a terminal's text, by their heading. */
function columnsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const [head = '', rule = '', ...rows] = (text.split('\n\n')[0] ?? '').split('\n');
  const places = [...rule.matchAll(/-+/g)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const cell = (line: string, [from, to]: readonly [number, number]) => line.slice(from, to).trim();
  return new Map(places.map((place) => [cell(head, place), rows.map((row) => cell(row, place))]));
}

const README = readFileSync(join(__dirname, '../../../README.md'), 'utf8');

test('README’s first table has the figures of its types', () => {
  expect(objections(README)).toEqual([]);
});

test.each([
  ['| 2 483 ', '| 2 940 ', 'c5.large: bucket Gbit'],
  ['| 1 059 (', '| 1 095 (', 'c5.2xlarge: burst lasts s'],
  ['| 5.00 ', '| 5.01 ', 'c5.4xlarge: baseline Gbit/s'],
  ['0.750           | 9.69', '0.750           | 9.96', 'c5.large: burst Gbit/s'],
])('a wrong figure in it is noticed: %s as %s', (right, planted, objection) => {
  expect(README).toContain(right);
  expect(objections(README.replace(right, planted))).toEqual([objection]);
});
