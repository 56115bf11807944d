/** Made-up, plausible results of the five articles' plans on today's EC2, with repetitions. */
import type { EnaExpress, NetworkPath, PairConditions, Placement } from '../../domain/model/conditions';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import type { RttQuantiles } from '../../domain/model/statistics';
import { latencyResult, published, steadyResult, throttledResult, throttledSeries } from './measurement-results';
import { seededRandom } from './random';

const random = () => seededRandom(20_261_121);

/** Numbers the results: each gets its own pair and the indexes of the plan, in their order. */
export function numbered(cells: readonly (readonly MeasurementResult[])[], firstPair = 1): MeasurementResult[] {
  return cells
    .flatMap((repetitions, planPairIndex) =>
      repetitions.map((result, index) => ({ ...result, planPairIndex, repetition: index + 1 })),
    )
    .map((result, index) => {
      const pairId = `p${String(firstPair + index).padStart(4, '0')}`;
      return { ...result, pairId, measurementId: `${pairId}-m01` };
    });
}

function rtt(mean: number): RttQuantiles {
  return {
    mean,
    stdDev: mean * 0.2,
    min: mean * 0.78,
    p25: mean * 0.9,
    p50: mean * 0.96,
    p75: mean * 1.05,
    p90: mean * 1.15,
    p95: mean * 1.25,
    p99: mean * 1.8,
    p99_9: mean * 3.4,
    p99_99: mean * 9,
    max: mean * 21,
  };
}

/** Round trips of requests and responses, one message at a time. */
export function roundTrips(mean: number, changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return latencyResult({
    clientType: 'c5.xlarge',
    serverType: 'c5.xlarge',
    mode: 'ping_pong',
    statistics: { rttMicros: rtt(mean), observations: Math.round(1e7 / mean), transactionsPerSecond: 1e6 / mean },
    durationSeconds: 10,
    ...changes,
  });
}

const ZONES: readonly PairConditions['zoneRelation'][] = ['same_zone', 'other_zone'];

export function addressMatrix(repetitions = 3): MeasurementResult[] {
  const from = random();
  const baseMicros = { private: 112, public: 131, nlb: 274, otherZone: 530 };
  const cells = ZONES.flatMap((zoneRelation) =>
    (['private', 'public', 'nlb'] as const).flatMap((path) =>
      (['tcp', 'udp'] as const).map((protocol) =>
        Array.from({ length: repetitions }, () => {
          const far = zoneRelation === 'other_zone' ? baseMicros.otherZone : 0;
          const mean = (baseMicros[path] + far + (protocol === 'udp' ? -6 : 0)) * (1 + 0.03 * from.normal());
          return roundTrips(mean, { zoneRelation, path, protocol, messageBytes: 16_384 });
        }),
      ),
    ),
  );
  return numbered(cells);
}

/** A few spaced round trips, too few for percentiles. */
function slowRoundTrips(mean: number, changes: Partial<MeasurementResult> = {}): MeasurementResult {
  const { min, max, stdDev } = rtt(mean);
  return latencyResult({
    tool: 'ping',
    clientType: 'c6i.8xlarge',
    serverType: 'c6i.8xlarge',
    protocol: undefined,
    messageBytes: 56,
    packetCount: 100,
    durationSeconds: 20,
    statistics: { rttMicros: { min, mean, max: max / 8, stdDev }, observations: 100 },
    ...changes,
  });
}

export function placementMatrix(): MeasurementResult[] {
  const sides: readonly EnaExpress[] = ['off', 'one_side', 'both'];
  const places: readonly (readonly [Placement, PairConditions['zoneRelation'], number])[] = [
    ['cluster', 'same_zone', 78],
    ['none', 'same_zone', 141],
    ['spread', 'same_zone', 152],
    ['none', 'other_zone', 690],
  ];
  return numbered(
    places.flatMap(([placement, zoneRelation, mean]) =>
      sides.map((enaExpress) => [
        slowRoundTrips(mean + (enaExpress === 'both' ? 16 : 0), { placement, zoneRelation, enaExpress }),
      ]),
    ),
    201,
  );
}

export function typeMatrix(): MeasurementResult[] {
  const types: readonly (readonly [string, least: number, most: number])[] = [
    ['m5.large', 0.74e9, 9.52e9],
    ['m5.2xlarge', 2.47e9, 9.58e9],
    ['m5.24xlarge', 24.1e9, 24.8e9],
    ['t3.medium', 0.25e9, 4.94e9],
    ['c5.large', 0.74e9, 9.5e9],
    ['c5.18xlarge', 24.6e9, 24.8e9],
  ];
  return numbered(
    types.map(([type, min, max]) =>
      [1, 0.98, 1.01].map((factor) => {
        const isSteady = max / min < 1.2;
        const mean = isSteady ? (min + max) / 2 : min * 0.6 + max * 0.4;
        const quantiles = { mean, p5: min * 1.01, p50: isSteady ? mean : min * 1.02, p95: max * 0.99, min, max };
        return steadyResult({
          clientType: type,
          serverType: type,
          durationSeconds: 1800,
          publishedClient: published(type, min, max),
          publishedServer: published(type, min, max),
          statistics: {
            throughputBitsPerSecond: Object.fromEntries(
              Object.entries(quantiles).map(([key, value]) => [key, value * factor]),
            ) as typeof quantiles,
          },
        });
      }),
    ),
    301,
  );
}

/** Throughput with one stream and round trips by path. The throughput over the private path has two modes. */
export function pathMatrix(repetitions = 10): MeasurementResult[] {
  const from = random();
  const measured = (path: NetworkPath, mean: number, micros: number) => [
    Array.from({ length: repetitions }, () => {
      const rate = mean * (path === 'private' && from.chance(0.4) ? 0.52 : 1) * (1 + 0.01 * from.normal());
      return steadyResult({
        clientType: 'c5n.2xlarge',
        serverType: 'c5n.2xlarge',
        zoneRelation: 'other_zone',
        parallelStreams: 1,
        path,
        statistics: { throughputBitsPerSecond: { mean: rate, p5: rate, p50: rate, p95: rate, min: rate, max: rate } },
      });
    }),
    Array.from({ length: repetitions }, () =>
      roundTrips(micros * (1 + 0.02 * from.normal()), {
        clientType: 'c5n.2xlarge',
        serverType: 'c5n.2xlarge',
        zoneRelation: 'other_zone',
        messageBytes: 14,
        path,
      }),
    ),
  ];
  return numbered(
    [...measured('private', 9.5e9, 610), ...measured('peering', 9.4e9, 618), ...measured('public', 4.9e9, 655)],
    401,
  );
}

/** One transfer. With eight streams, the sixth lags behind. */
function transferResult(
  parallelStreams: number,
  changes: Partial<MeasurementResult> = {},
  fullRate = 9.4e9,
): MeasurementResult {
  const together = Math.min(fullRate, parallelStreams * 2.6e9 * 0.98 ** parallelStreams);
  const lags = parallelStreams === 8;
  const share = together / (parallelStreams - (lags ? 0.55 : 0));
  return steadyResult({
    tool: 'http',
    clientType: 'c5.4xlarge',
    serverType: 'c5.4xlarge',
    scheme: 'http',
    parallelStreams,
    objectBytes: 1024 ** 3,
    durationSeconds: 60,
    statistics: {
      throughputBitsPerSecond: {
        mean: together,
        p5: together * 0.97,
        p50: together,
        p95: together * 1.02,
        min: together * 0.95,
        max: together * 1.03,
      },
      streams: Array.from({ length: parallelStreams }, (_, index) => ({
        stream: String(index + 1),
        throughputBitsPerSecond: lags && index === 5 ? share * 0.45 : share * (1 + 0.02 * Math.sin(index)),
        isStraggler: lags && index === 5,
      })),
      clientCpu: { userPercent: 6 * parallelStreams, systemPercent: 11 * parallelStreams },
      serverCpu: { userPercent: 2 * parallelStreams, systemPercent: 9 * parallelStreams },
    },
    ...changes,
  });
}

/** The same transfer with several numbers of streams, up to the rate of the link. */
export function transferLadder(changes: Partial<MeasurementResult> = {}, fullRate = 9.4e9): MeasurementResult[][] {
  return [1, 2, 3, 4, 6, 8, 12].map((parallelStreams) => [transferResult(parallelStreams, changes, fullRate)]);
}

export function transferMatrix(): MeasurementResult[] {
  return numbered(
    [
      ...transferLadder(),
      ...transferLadder({ mode: 'download', scheme: 'https', tool: 's3' }, 9.1e9),
      ...transferLadder({ mode: 'upload', scheme: 'https', tool: 's3' }, 5.2e9),
    ],
    501,
  );
}

/** A measurement with a latency probe: round trips before the onset and after it. */
export function loadedResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  const rttOf = (factor: number, observations: number) => ({
    rttMicros: { mean: 190 * factor, min: 95, p50: 172 * factor, p99: 610 * factor, max: 2410 * factor },
    observations,
  });
  const plain = throttledResult();
  return throttledResult({
    pairId: 'p0601',
    measurementId: 'p0601-m01',
    latencyProbe: { messageBytes: 64, messagesPerSecond: 100 },
    statistics: { ...plain.statistics, loadedLatency: { before: rttOf(1, 6040), after: rttOf(14, 11_960) } },
    ...changes,
  });
}

/** A series that fits `loadedResult`, with the median and the maximum of the probe in each second. */
export function loadedSeries(durationSeconds = 180, onsetSeconds = 60.4): Sample[] {
  const from = random();
  const probe = Array.from({ length: durationSeconds }, (_, second): Sample => {
    const median = (second < onsetSeconds ? 172 : 2408) * (1 + 0.06 * from.normal());
    return {
      metric: 'round_trip',
      hostRole: 'client',
      direction: 'forward',
      stream: 'sum',
      startSeconds: second,
      lengthSeconds: 1,
      rttMedianMicros: median,
      rttMaxMicros: median * (1.6 + Math.abs(from.normal())),
      observations: 100,
    };
  });
  return [...throttledSeries(durationSeconds, onsetSeconds), ...probe];
}

export function routeResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return latencyResult({
    pairId: 'p0602',
    measurementId: 'p0602-m01',
    tool: 'route',
    kind: 'conditions',
    protocol: undefined,
    messageBytes: undefined,
    durationSeconds: 10,
    statistics: { pathMtuBytes: 9001, hopCount: 1 },
    ...changes,
  });
}

export function notApplicableResult(reason: string, changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return latencyResult({
    pairId: 'p0701',
    measurementId: 'p0701-m01',
    placement: 'cluster',
    zoneRelation: 'other_zone',
    status: 'not_applicable',
    reason,
    statistics: {},
    client: undefined,
    server: undefined,
    toolVersion: undefined,
    startedAt: undefined,
    endedAt: undefined,
    ...changes,
  });
}
