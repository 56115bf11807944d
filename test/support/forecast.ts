/** Pairs and measurements to forecast, with EC2's recorded figures and the list prices. */
import recorded from '../../domain/forecast/recorded-instance-types.json';
import { forecastRun, type RunForecast } from '../../domain/forecast/forecast-run';
import type { ForecastInput, ForecastMeasurement, ForecastPair } from '../../domain/forecast/inputs';
import { LIST_PRICES } from '../../domain/forecast/prices/price-table';
import { instanceTypeOf } from '../../lambdas/adapters/ec2-instance-type';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

export const recordedTypes = Object.fromEntries(
  (recorded.InstanceTypes as InstanceTypeInfo[]).map((type) => [type.InstanceType!, instanceTypeOf(type)]),
);

/** Eight streams for half an hour, as most of the tests have it. */
export function throughput(settings: Partial<ForecastMeasurement> = {}): ForecastMeasurement {
  return {
    measurementId: 'p0001-m00',
    planMeasurementIndex: 0,
    durationSeconds: 1800,
    protocol: 'tcp',
    direction: 'forward',
    parallelStreams: 8,
    ...settings,
  };
}

export function pairOf(instanceType: string, settings: Partial<ForecastPair> = {}): ForecastPair {
  return {
    pairId: 'p0001',
    planPairIndex: 0,
    clientType: instanceType,
    serverType: instanceType,
    zoneRelation: 'same_zone',
    placement: 'none',
    path: 'private',
    enaExpress: 'off',
    enaExpressUdp: false,
    lifetimeSeconds: 3452,
    measurements: [throughput()],
    ...settings,
  };
}

export function inputOf(pairs: readonly ForecastPair[], settings: Partial<ForecastInput> = {}): ForecastInput {
  return {
    pairs,
    concurrency: 4,
    instanceTypes: recordedTypes,
    prices: LIST_PRICES,
    workOf: ({ durationSeconds }) => ({
      kind: 'throughput',
      isBetweenHosts: true,
      expectedSeconds: durationSeconds + 2,
      limitSeconds: durationSeconds + 152,
    }),
    ...settings,
  };
}

export function forecastOf(pair: ForecastPair, settings: Partial<ForecastInput> = {}): RunForecast {
  return forecastRun(inputOf([pair], settings));
}
