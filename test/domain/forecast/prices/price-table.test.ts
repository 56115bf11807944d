import { LIST_PRICES, PRICE_SOURCES, priceOverrides, pricesWith } from '../../../../domain/forecast/prices/price-table';
import { priceSplit, sumOfRanges, sumOfSplits } from '../../../../domain/forecast/range';
import { PRICE_PARTS, totalUsd } from '../../../../domain/model/cost';

describe('the list prices', () => {
  test('have a date and a source', () => {
    for (const { date, source } of Object.values(PRICE_SOURCES)) {
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(source.length).toBeGreaterThan(20);
    }
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
    const prices = pricesWith({ crossZoneUsdPerGigabyteEachWay: 0, instanceUsdPerHour: { 'c5.large': 0.05 } });
    expect(prices).toEqual({
      ...LIST_PRICES,
      crossZoneUsdPerGigabyteEachWay: 0,
      instanceUsdPerHour: { ...LIST_PRICES.instanceUsdPerHour, 'c5.large': 0.05 },
    });
    expect(pricesWith(undefined)).toEqual(LIST_PRICES);
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
