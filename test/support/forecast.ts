/** Pairs and measurements to forecast, with EC2's recorded figures and the list prices. */
import recorded from '../../domain/forecast/recorded-instance-types.json';
import { forecastRun, type RunForecast } from '../../domain/forecast/forecast-run';
import type { ForecastInput } from '../../domain/forecast/inputs';
import { hostDeadlines } from '../../domain/workflow/polling';
import type { PlannedMeasurement, PlannedPair } from '../../domain/model/planned-run';
import { instanceTypeFacts } from '../../domain/plan/offer';
import { pricesOf } from '../../domain/forecast/prices/price-table';
import { instanceTypeOf } from '../../lambdas/adapters/ec2-answers';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/** All recorded types as the adapter reads them. */
export const offeredTypes = (recorded.InstanceTypes as InstanceTypeInfo[]).map(instanceTypeOf);

/** Those that an image of ours runs on, by name. */
export const recordedTypes = Object.fromEntries(
  offeredTypes.flatMap((type) => {
    const facts = instanceTypeFacts(type);
    return facts === undefined ? [] : [[facts.instanceType, facts]];
  }),
);

/** Eight streams for half an hour, as most of the tests have it. */
export function throughput(settings: Partial<PlannedMeasurement> = {}): PlannedMeasurement {
  return {
    measurementId: 'p0001-m00',
    planMeasurementIndex: 0,
    pairRepetition: 1,
    tool: 'iperf3',
    port: 5201,
    durationSeconds: 1800,
    protocol: 'tcp',
    direction: 'forward',
    parallelStreams: 8,
    ...settings,
  };
}

export function pairOf(instanceType: string, settings: Partial<PlannedPair> = {}): PlannedPair {
  return {
    pairId: 'p0001',
    pairIndex: 0,
    planPairIndex: 0,
    repetition: 1,
    candidateSubnets: [],
    clientType: instanceType,
    serverType: instanceType,
    zoneRelation: 'same_zone',
    placement: 'none',
    path: 'private',
    enaExpress: 'off',
    enaExpressUdp: false,
    mtuBytes: 9001,
    lifetimeSeconds: 3452,
    hostDeadlines: hostDeadlines(false),
    measurements: [throughput()],
    ...settings,
  };
}

export function inputOf(pairs: readonly PlannedPair[], settings: Partial<ForecastInput> = {}): ForecastInput {
  return {
    pairs,
    instanceTypes: recordedTypes,
    ...pricesOf('us-east-1'),
    workOf: ({ durationSeconds }) => ({
      kind: 'throughput',
      isBetweenHosts: true,
      expectedSeconds: durationSeconds + 2,
      limitSeconds: durationSeconds + 152,
    }),
    ...settings,
  };
}

export function forecastOf(pair: PlannedPair, settings: Partial<ForecastInput> = {}): RunForecast {
  return forecastRun(inputOf([pair], settings));
}
