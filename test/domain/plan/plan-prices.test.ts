import { readPlan } from '../../../domain/plan/read-plan';

const MINIMAL = {
  name: 'prices',
  pairs: [{ clientType: 'c5.large', serverType: 'c5.large' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 60 }],
};

test('a plan may bring prices of its own', () => {
  const prices = { crossZoneUsdPerGigabyteEachWay: 0.02, instanceUsdPerHour: { 'c5.large': 0.05 } };
  expect(readPlan({ ...MINIMAL, prices }).plan).toMatchObject({ prices });
  expect(readPlan(MINIMAL).plan).not.toHaveProperty('prices');
});

const NUMBER = 'a number from 0 to 10000';
const OF_TYPE = 'plan.prices.instanceUsdPerHour["c5.large"]';

test.each([
  [{ athenaUsdPerTerabyte: -5 }, 'plan.prices.athenaUsdPerTerabyte', NUMBER],
  [{ athenaUsdPerTerabyte: 'five' }, 'plan.prices.athenaUsdPerTerabyte', NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': '0.05' } }, OF_TYPE, NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': 10_001 } }, OF_TYPE, NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': null } }, OF_TYPE, NUMBER],
  [
    { instanceUsdPerHour: { 'c5 large': 1 } },
    'plan.prices.instanceUsdPerHour["c5 large"]',
    'left out, because each key must be an EC2 instance type, such as c5.xlarge',
  ],
  [
    { instanceUsdPerHour: 1 },
    'plan.prices.instanceUsdPerHour',
    `an object in which each key is an EC2 instance type, such as c5.xlarge, and each value ${NUMBER}`,
  ],
])('fails on %j, with its path', (prices, path, allowed) => {
  expect(readPlan({ ...MINIMAL, prices }).problems).toEqual([expect.objectContaining({ path, allowed })]);
});

test('fails on a price of nothing known', () => {
  const refusal = {
    path: 'plan.prices.crossZoneUsd',
    value: 1,
    allowed: 'left out, because no such key is allowed here',
  };
  expect(readPlan({ ...MINIMAL, prices: { crossZoneUsd: 1 } }).problems).toMatchObject([refusal]);
});
