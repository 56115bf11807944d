import recorded from '../../../../domain/forecast/prices/instance-prices.json';
import {
  atLeastListPrices,
  priceOverrides,
  pricesOf,
  SERVICE_SOURCE,
} from '../../../../domain/forecast/prices/price-table';
import { priceSplit, sumOfRanges, sumOfSplits } from '../../../../domain/forecast/range';
import { PRICE_PARTS, totalUsd } from '../../../../domain/model/cost';

/** As `npm run prices` adds a Region: without c5.large, which is not offered there. */
jest.mock<object>('../../../../domain/forecast/prices/instance-prices.json', () => ({
  ...jest.requireActual<object>('../../../../domain/forecast/prices/instance-prices.json'),
  'eu-south-1': { date: '2026-11-25', source: 'GetProducts, recorded', instanceUsdPerHour: { 'm5.xlarge': 0.224 } },
}));

const { prices: LIST_PRICES } = pricesOf('us-east-1');

describe('the list prices', () => {
  test('have a date and a source', () => {
    for (const { date, source } of [...Object.values(recorded), SERVICE_SOURCE]) {
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(source.length).toBeGreaterThan(20);
    }
  });

  const services = `services as of ${SERVICE_SOURCE.date}`;
  const own = { 'm5.xlarge': 0.1 };
  test.each([
    ['us-east-1', {}, 0.192, `list prices in us-east-1, instances as of 2026-07-20, ${services}`],
    [
      'eu-south-1',
      {},
      0.224,
      `list prices: instances in eu-south-1 as of 2026-11-25, ${services.replace('as', 'in us-east-1 as')}`,
    ],
    [
      'sa-east-1',
      {},
      0.192,
      `list prices in us-east-1, instances as of 2026-07-20, ${services}, used because those of sa-east-1 are not recorded`,
    ],
    [
      'us-east-1',
      { instanceUsdPerHour: own },
      0.1,
      `the plan's own prices, otherwise list prices in us-east-1, instances as of 2026-07-20, ${services}`,
    ],
  ])('of %s with %j: %d for m5.xlarge, %s', (region, overrides, usd, priceList) => {
    const priced = pricesOf(region, overrides);
    expect([priced.prices.instanceUsdPerHour['m5.xlarge'], priced.priceList]).toEqual([usd, priceList]);
  });

  test("a type that a Region's list lacks has no price, not that of us-east-1", () => {
    expect(LIST_PRICES.instanceUsdPerHour).toHaveProperty(['c5.large']);
    expect(pricesOf('eu-south-1').prices.instanceUsdPerHour).toEqual({ 'm5.xlarge': 0.224 });
  });

  test.each([
    ['us-east-1', undefined, 0.192],
    ['us-east-1', { 'm5.xlarge': 0.1 }, 0.192],
    ['us-east-1', { 'm5.xlarge': 0.5 }, 0.5],
    ['eu-south-1', { 'm5.xlarge': 0.1 }, 0.224],
    ['sa-east-1', undefined, undefined],
    ['sa-east-1', { 'm5.xlarge': 0.1 }, 0.192],
    ['sa-east-1', { 'm5.xlarge': 0.5 }, 0.5],
  ])("for a deployment's limit in %s, the plan saying %j: %j", (region, instanceUsdPerHour, usd) => {
    const prices = atLeastListPrices(region, { instanceUsdPerHour });
    expect(prices.instanceUsdPerHour['m5.xlarge']).toBe(usd);
  });

  test.each([
    ['c5.large', 0.085],
    ['c5.18xlarge', 3.06],
    ['m5.2xlarge', 0.384],
    ['t2.medium', 0.0464],
    ['m7g.large', 0.0816],
    ['c7gn.16xlarge', 3.9936],
    ['m3.medium', 0.067],
  ])('%s is %d an hour', (instanceType, usd) => {
    expect(LIST_PRICES.instanceUsdPerHour[instanceType]).toBe(usd);
  });

  const families =
    't2 t3 t3a t4g m1 m3 m4 m5 m5n m6i m6in m6g m7i m7g m8g c1 c3 c4 c5 c5n c6i c6in c6g c6gn c7i c7g c7gn c8g r5 r6i r7g';
  test.each(families.split(' '))('%s has prices above 0', (family) => {
    const prices = Object.entries(LIST_PRICES.instanceUsdPerHour).filter(([type]) => type.startsWith(`${family}.`));
    expect(prices.length).toBeGreaterThan(1);
    for (const [, usd] of prices) expect(usd).toBeGreaterThan(0);
  });

  test('a type that is not listed has an unknown price, not 0', () => {
    expect(LIST_PRICES.instanceUsdPerHour).not.toHaveProperty('c99.large');
    expect(Object.values(LIST_PRICES.instanceUsdPerHour)).not.toContain(0);
  });
});

describe('a plan’s own prices', () => {
  test('override those of the list, and no others', () => {
    const { prices } = pricesOf('us-east-1', {
      crossZoneUsdPerGigabyteEachWay: 0,
      instanceUsdPerHour: { 'c5.large': 0.05 },
    });
    expect(prices).toEqual({
      ...LIST_PRICES,
      crossZoneUsdPerGigabyteEachWay: 0,
      instanceUsdPerHour: { ...LIST_PRICES.instanceUsdPerHour, 'c5.large': 0.05 },
    });
  });

  test('may include every price of the list', () => {
    expect(Object.keys(priceOverrides.shape).sort()).toEqual(Object.keys(LIST_PRICES).sort());
    expect(priceOverrides.parse(LIST_PRICES)).toEqual(LIST_PRICES);
  });

  test('are no numbers that JSON does not have', () => {
    expect(priceOverrides.safeParse({ athenaUsdPerTerabyte: Infinity }).success).toBe(false);
  });
});

describe('a price by its parts', () => {
  const split = priceSplit({ instances: 1, crossZoneTraffic: 2.5 });

  test('has every part, and their sum', () => {
    expect(Object.keys(split)).toEqual([...PRICE_PARTS]);
    expect(totalUsd(split)).toBe(3.5);
    expect(totalUsd(sumOfSplits([split, split]))).toBe(7);
    expect(totalUsd(sumOfRanges([]).upper)).toBe(0);
  });

  test('is unknown in an unknown part and in the sum', () => {
    const sum = sumOfSplits([split, priceSplit({ instances: null })]);
    expect(sum).toEqual({ ...split, instances: null });
    expect(totalUsd(sum)).toBeNull();
  });
});
