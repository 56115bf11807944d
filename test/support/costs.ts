/** Made-up prices of a pair and of its measurements, with every field. */
import { PRICE_PARTS, type MeasurementCost, type PairCost, type PriceSplit } from '../../domain/model/cost';

/** One US dollar for the first part, two for the next, and so on: 55 in all. */
export const SPLIT = Object.fromEntries(PRICE_PARTS.map((part, index) => [part, index + 1])) as PriceSplit;

const HOURLY = {
  priceList: 'list prices in us-east-1, instances as of 2026-07-20',
  clientHourlyUsd: 0.17,
  serverHourlyUsd: 1.53,
};

export function measurementCost(changes: Partial<MeasurementCost> = {}): MeasurementCost {
  return {
    measurementId: 'p0001-m02',
    expectedUsd: 1.5,
    costUsd: 1.25,
    hostsUsd: 1,
    trafficUsd: 0.25,
    hostSeconds: 900.5,
    ...HOURLY,
    trafficBytes: 11e9,
    warnings: ['a warning'],
    ...changes,
  };
}

export function pairCost(changes: Partial<PairCost> = {}): PairCost {
  return {
    pairId: 'p0001',
    launchedAt: '2026-11-20T21:00:00.000Z',
    goneAt: '2026-11-20T21:10:00.000Z',
    clientZone: 'eu-central-1a',
    serverZone: 'eu-central-1b',
    clientZoneId: 'euc1-az2',
    serverZoneId: 'euc1-az3',
    isDisplaced: false,
    clientSubnetId: 'subnet-1',
    serverSubnetId: 'subnet-2',
    clientVpcId: 'vpc-1',
    serverVpcId: 'vpc-2',
    clientImageId: 'ami-1',
    serverImageId: 'ami-2',
    hostSeconds: 1200,
    ...HOURLY,
    trafficBytes: 11e9,
    expected: SPLIT,
    upper: SPLIT,
    cost: SPLIT,
    warnings: ['a warning'],
    ...changes,
  };
}
