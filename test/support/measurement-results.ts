/** Complete results and series of a made-up run, for tests of the report, the row writers and the queries. */
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { LatencyVerdict, PacketVerdict, Verdict } from '../../domain/model/verdict';
import type { MeasuredHost, MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';

export const DAY = '2026-11-20';
export const RUN_ID = 'burst-of-c5-20261120';

export const host = (instanceId: string, zone: string, last: number): MeasuredHost => ({
  instanceId,
  zone,
  imageId: 'ami-0a1b2c3d4e5f60718',
  privateIp: `10.0.1.${last}`,
  facts: {
    instanceId,
    kernel: '6.8.0-1021-aws',
    operatingSystem: 'Ubuntu 24.04.3 LTS',
    architecture: 'x86_64',
    vcpuCount: 4,
    networkInterface: 'ens5',
    networkDriver: 'ena',
    networkDriverVersion: '2.15.0g',
    queueCount: 4,
    mtuBytes: 9001,
    congestionControl: 'cubic',
    clockSource: 'PHC0',
    clockOffsetMicros: 1.25,
    agentVersion: '3.3.4177.0',
  },
});

export const published = (instanceType: string, baseline: number, peak: number): InstanceTypeFacts => ({
  instanceType,
  architecture: 'x86_64',
  vcpuCount: 4,
  baselineBitsPerSecond: baseline,
  peakBitsPerSecond: peak,
  networkPerformance: 'Up to 10 Gigabit',
  isBurstableCpu: false,
  supportsClusterPlacement: true,
  supportsEnaExpress: true,
});

export const throttledVerdict: Verdict = {
  kind: 'drop',
  cause: 'network_credits',
  causes: [{ cause: 'network_credits', standing: 'shown', reason: 'the 1.24 Gbit/s after the fall are a baseline' }],
  ifNetworkCredits: null,
  direction: 'forward',
  onset: { value: 60.4, low: 60.3, high: 60.6 },
  burst: { value: 9.52e9, low: 9.49e9, high: 9.55e9 },
  baseline: { value: 1.24e9, low: 1.23e9, high: 1.25e9 },
  bucket: { value: 500.1e9, low: 497.4e9, high: 503.2e9 },
  bucketBitsAtLeast: null,
  refill: { value: 403.3, low: 398.2, high: 408.9 },
  refillSecondsAtLeast: null,
  holdTimes: [
    { bitsPerSecond: 4e9, seconds: { value: 181.2, low: 179.8, high: 182.9 }, atLeastSeconds: null },
    { bitsPerSecond: 6e9, seconds: { value: 105.1, low: 104.5, high: 105.9 }, atLeastSeconds: null },
    { bitsPerSecond: 8e9, seconds: { value: 74, low: 73.6, high: 74.5 }, atLeastSeconds: null },
    { bitsPerSecond: 9.52e9, seconds: { value: 60.4, low: 60.1, high: 60.8 }, atLeastSeconds: null },
  ],
  throttledBy: 'sender',
  throttledBucket: 'outbound',
  confidence: 0.97,
  witnesses: [
    { name: 'series', agrees: true, detail: 'one abrupt fall to 13 % that lasts' },
    { name: 'ena_allowance_counters', agrees: true, detail: 'bw_out_allowance_exceeded grows from second 60' },
    { name: 'published_bandwidth', agrees: true, detail: 'baseline 1.24 of 1.25 Gbit/s, burst 9.52 of 10.0 Gbit/s' },
    { name: 'retransmits', agrees: null, detail: 'few before and after' },
  ],
  explanation: '9.52 Gbit/s for 60.4 s, then 1.24 Gbit/s: the network credits were spent.',
};

export const steadyVerdict: Verdict = {
  kind: 'steady',
  cause: null,
  causes: [],
  ifNetworkCredits: null,
  direction: 'forward',
  onset: null,
  burst: null,
  baseline: null,
  bucket: null,
  bucketBitsAtLeast: null,
  refill: null,
  refillSecondsAtLeast: null,
  holdTimes: [],
  throttledBy: null,
  throttledBucket: null,
  confidence: 0.99,
  witnesses: [{ name: 'series', agrees: true, detail: 'one level from the first second to the last' }],
  explanation: 'Steady at 9.48 Gbit/s over the whole 180 s.',
};

/** A throttled TCP throughput measurement that has every field of a result. */
export function throttledResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return {
    schema: 'network-benchmark.measurement.v1',
    runId: RUN_ID,
    planName: 'Burst of c5',
    pairId: 'p0001',
    measurementId: 'p0001-m02',
    repetition: 1,
    pairRepetition: 1,
    planPairIndex: 0,
    planMeasurementIndex: 1,
    day: DAY,
    tool: 'iperf3',
    kind: 'throughput',
    protocol: 'tcp',
    parallelStreams: 8,
    direction: 'forward',
    durationSeconds: 180,
    clientType: 'c5.xlarge',
    serverType: 'c5.9xlarge',
    zoneRelation: 'same_zone',
    placement: 'none',
    path: 'private',
    enaExpress: 'off',
    enaExpressUdp: false,
    mtuBytes: 9001,
    client: host('i-0aaaaaaaaaaaaaaa1', 'eu-central-1a', 11),
    server: host('i-0bbbbbbbbbbbbbbb2', 'eu-central-1a', 12),
    status: 'complete',
    toolVersion: '3.16',
    startedAt: '2026-11-20T21:02:03.250Z',
    endedAt: '2026-11-20T21:05:03.900Z',
    sampleCount: 180,
    statistics: {
      throughputBitsPerSecond: { mean: 4.02e9, p5: 1.22e9, p50: 1.25e9, p95: 9.54e9, min: 1.19e9, max: 9.61e9 },
      retransmits: 1234,
    },
    verdict: throttledVerdict,
    publishedClient: published('c5.xlarge', 1.25e9, 10e9),
    publishedServer: published('c5.9xlarge', 12e9, 12e9),
    warnings: ['the first interval is 1.01 s long'],
    ...changes,
  };
}

export function steadyResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return throttledResult({
    pairId: 'p0002',
    measurementId: 'p0002-m02',
    clientType: 'c5.9xlarge',
    statistics: {
      throughputBitsPerSecond: { mean: 9.48e9, p5: 9.41e9, p50: 9.49e9, p95: 9.53e9, min: 9.3e9, max: 9.55e9 },
      retransmits: 87,
    },
    verdict: steadyVerdict,
    publishedClient: published('c5.9xlarge', 12e9, 12e9),
    warnings: [],
    ...changes,
  });
}

/** Both directions at once, over UDP, so that the result also has loss and jitter. */
export function bidirectionalResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return steadyResult({
    measurementId: 'p0002-m03',
    protocol: 'udp',
    direction: 'bidirectional',
    targetBitsPerSecond: 4_000_000_000,
    statistics: {
      forward: {
        throughputBitsPerSecond: { mean: 3.98e9, p5: 3.91e9, p50: 3.99e9, p95: 4e9, min: 3.9e9, max: 4.01e9 },
        lostPackets: 321,
        sentPackets: 5_000_000,
        jitterMicros: 11.5,
      },
      reverse: {
        throughputBitsPerSecond: { mean: 3.58e9, p5: 3.51e9, p50: 3.59e9, p95: 3.6e9, min: 3.5e9, max: 3.61e9 },
        lostPackets: 4321,
        sentPackets: 4_900_000,
        jitterMicros: 17.25,
      },
    },
    ...changes,
  });
}

export const quietVerdict: LatencyVerdict = {
  cause: null,
  limitedBy: null,
  causes: [
    {
      cause: 'network_credits',
      standing: 'ruled_out',
      reason: 'the bandwidth allowance held back no packet at either host',
    },
  ],
  explanation: 'no allowance of either host held a message back',
};

/** Of round trips that ran without network credits. */
export const heldBackVerdict: LatencyVerdict = {
  cause: 'network_credits',
  limitedBy: 'client',
  causes: [
    {
      cause: 'network_credits',
      standing: 'shown',
      reason: 'the bandwidth allowance of the client dropped 20827 packets',
    },
  ],
  explanation:
    'the bandwidth allowance of the client dropped 20827 packets; the round trips therefore show this limit and not the path',
};

export function latencyResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return throttledResult({
    measurementId: 'p0001-m01',
    tool: 'sockperf',
    kind: 'latency',
    parallelStreams: undefined,
    direction: undefined,
    messageBytes: 64,
    durationSeconds: 30,
    toolVersion: '3.10',
    startedAt: '2026-11-20T21:01:20.000Z',
    endedAt: '2026-11-20T21:01:50.500Z',
    sampleCount: undefined,
    statistics: {
      rttMicros: {
        mean: 118.7,
        stdDev: 24.3,
        min: 92.1,
        p25: 108.2,
        p50: 114.6,
        p75: 121.9,
        p90: 133.4,
        p95: 144.8,
        p99: 201.3,
        p99_5: 239.7,
        p99_9: 402.6,
        p99_99: 1_180.4,
        p99_999: 3_410.9,
        max: 4_023.8,
      },
      observations: 252_718,
      droppedMessages: 1,
      duplicatedMessages: 2,
      outOfOrderMessages: 3,
    },
    verdict: null,
    latencyVerdict: quietVerdict,
    warnings: [],
    ...changes,
  });
}

export const packetVerdict: PacketVerdict = {
  kind: 'drop',
  cause: 'packet_rate',
  direction: 'forward',
  onset: { value: 60.4, low: 60.3, high: 60.6 },
  burst: { value: 1_251_000, low: 1_249_000, high: 1_253_000 },
  baseline: { value: 410_200, low: 409_800, high: 410_700 },
  limitedBy: 'sender',
  confidence: 0.98,
  witnesses: [
    { name: 'series', agrees: true, detail: 'one abrupt fall that lasts' },
    { name: 'packet_allowance', agrees: true, detail: '81234567 packets at the sender' },
  ],
  explanation: "1.25 M packets/s for 60.4 s, then 410 k packets/s: the sender's packet-rate allowance was exceeded",
};

/** A measurement of UDP datagrams whose packets ran into the packet-rate allowance of the client. */
export function packetResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return throttledResult({
    measurementId: 'p0001-m04',
    kind: 'packets',
    mode: 'packets',
    protocol: 'udp',
    datagramBytes: 64,
    parallelStreams: 16,
    statistics: {
      packetsPerSecond: { mean: 692e3, p5: 409e3, p50: 411e3, p95: 1_250e3, min: 405e3, max: 1_260e3 },
      sentPacketsPerSecond: 1_300e3,
      packetBytes: 106,
      lostPackets: 109_440_000,
      sentPackets: 234_000_000,
      clientPpsAllowanceExceeded: 81_234_567,
      serverPpsAllowanceExceeded: 0,
      clientConntrackAllowanceExceeded: 1,
      serverConntrackAllowanceExceeded: 2,
    },
    verdict: null,
    packetVerdict,
    ...changes,
  });
}

/** One sample per second of what the receiver's interface counted. */
export function packetSeries(durationSeconds = 180, onsetSeconds = 60.4): Sample[] {
  return Array.from({ length: durationSeconds }, (_, second): Sample => {
    const share = Math.min(1, Math.max(0, onsetSeconds - second));
    const packetsPerSecond = (share * 1_251e3 + (1 - share) * 410e3) * (1 + 0.002 * Math.sin(second * 2.3));
    return {
      metric: 'packets',
      hostRole: 'server',
      direction: 'forward',
      stream: 'sum',
      startSeconds: second,
      lengthSeconds: 1,
      packetsPerSecond,
    };
  });
}

export function failedResult(changes: Partial<MeasurementResult> = {}): MeasurementResult {
  return throttledResult({
    pairId: 'p0003',
    measurementId: 'p0003-m02',
    status: 'failed',
    reason: 'iperf3: error - unable to connect to server: Connection refused',
    client: undefined,
    server: undefined,
    startedAt: undefined,
    endedAt: undefined,
    toolVersion: undefined,
    sampleCount: undefined,
    statistics: {},
    verdict: null,
    warnings: [],
    ...changes,
  });
}

// 9.5 ┤▔▔▔▔▔▔╮
// 1.2 ┤      ╰▁▁▁▁▁▁▁▁▁▁▁     burst 60.4 s, then the baseline
/** One-second samples that fit `throttledResult`, with a small wobble and the ENA counters of the client. */
export function throttledSeries(durationSeconds = 180, onsetSeconds = 60.4): Sample[] {
  return Array.from({ length: durationSeconds }, (_, second) => {
    const burstShare = Math.min(Math.max(onsetSeconds - second, 0), 1);
    const wobble = 1 + 0.02 * Math.sin(second * 12.9898) * Math.cos(second * 4.1414);
    const shaped = Math.round((1 - burstShare) * 1800 * wobble);
    const common = { startSeconds: second, lengthSeconds: 1, direction: 'forward' } as const;
    return [
      {
        ...common,
        metric: 'throughput',
        hostRole: 'server',
        stream: 'sum',
        throughputBitsPerSecond: (burstShare * 9.52e9 + (1 - burstShare) * 1.24e9) * wobble,
      },
      {
        ...common,
        metric: 'sent_throughput',
        hostRole: 'client',
        stream: 'sum',
        throughputBitsPerSecond: (burstShare * 9.53e9 + (1 - burstShare) * 1.25e9) * wobble,
        retransmits: second % 7,
        congestionWindowBytes: 1_310_720,
      },
      { ...common, metric: 'allowance', hostRole: 'client', stream: 'sum', bwOutAllowanceExceeded: shaped },
    ] satisfies Sample[];
  }).flat();
}
