import { describe, expect, test } from '@jest/globals';
import { buildDocument } from '../../../lib/measurement-documents/measurement-documents';
import { measureCommand, prepareCommand, serveCommand } from '../../../domain/tools/commands';
import { CONDITIONS } from '../../../domain/model/conditions';
import type { PlannedMeasurement } from '../../../domain/model/planned-run';
import { benchmarkPlan } from '../../../domain/plan/schema';
import { plannedMeasurement } from '../../../domain/plan/expand-plan';
import type { HostCommand } from '../../../domain/workflow/contracts';

const context = {
  runId: 'r'.repeat(74),
  pairId: 'p9999',
  bucketName: 'network-benchmark-results-123456789012-eu-west-1',
  serverAddress: '10.255.255.255',
  payloadBucketName: 'network-benchmark-payload-123456789012-eu-west-1',
};

/** The smallest and the greatest values that the plan's schema accepts, and each of its words. */
const MEASUREMENTS: Record<string, unknown>[] = [
  { tool: 'iperf3', durationSeconds: 5, parallelStreams: 1 },
  { tool: 'iperf3', durationSeconds: 7200, parallelStreams: 64, direction: 'reverse' },
  { tool: 'iperf3', durationSeconds: 60, direction: 'bidirectional' },
  { tool: 'iperf3', durationSeconds: 60, protocol: 'udp', targetBitsPerSecond: 1_000 },
  { tool: 'iperf3', durationSeconds: 60, protocol: 'udp', targetBitsPerSecond: 400_000_000_000 },
  { tool: 'iperf3', durationSeconds: 5, mssBytes: 88, congestionControl: 'bbr', socketBufferBytes: 4_096 },
  { tool: 'iperf3', durationSeconds: 5, mssBytes: 8_961, congestionControl: 'c'.repeat(15) },
  { tool: 'iperf3', durationSeconds: 5, protocol: 'udp', targetBitsPerSecond: 1e9, datagramBytes: 16 },
  {
    tool: 'iperf3',
    durationSeconds: 5,
    protocol: 'udp',
    targetBitsPerSecond: 1e9,
    datagramBytes: 65_507,
    socketBufferBytes: 536_870_912,
  },
  { tool: 'iperf3', durationSeconds: 5, dutyCycle: { onSeconds: 2, offSeconds: 1 } },
  { tool: 'iperf3', durationSeconds: 7200, dutyCycle: { onSeconds: 1800, offSeconds: 3600 }, parallelStreams: 64 },
  { tool: 'iperf3', durationSeconds: 7200, stopAfterThrottledSeconds: 3600, direction: 'bidirectional' },
  { tool: 'iperf3', durationSeconds: 60, latencyProbe: { messageBytes: 1400, messagesPerSecond: 1000 } },
  { tool: 'iperf3', durationSeconds: 60, latencyProbe: {}, protocol: 'udp', targetBitsPerSecond: 1_000_000 },
  { tool: 'sockperf', durationSeconds: 5, messageBytes: 14 },
  { tool: 'sockperf', durationSeconds: 7200, messageBytes: 65_507, protocol: 'udp' },
  { tool: 'sockperf', mode: 'under_load', durationSeconds: 5, messagesPerSecond: 1_000_000 },
  { tool: 'sockperf', mode: 'under_load', durationSeconds: 7200, messagesPerSecond: 10, protocol: 'udp' },
  { tool: 'sockperf', mode: 'under_load', durationSeconds: 5, messagesPerSecond: 1000, parallelStreams: 64 },
  { tool: 'sockperf', mode: 'throughput', durationSeconds: 7200 },
  { tool: 'ping' },
  { tool: 'ping', count: 2, intervalMillis: 2, packetBytes: 16 },
  { tool: 'ping', count: 10_000, intervalMillis: 720, packetBytes: 65_507 },
  { tool: 'ping', count: 720, intervalMillis: 10_000 },
  { tool: 'tracepath' },
  { tool: 'http', durationSeconds: 5, parallelStreams: 1, objectBytes: 1_000_000 },
  { tool: 'http', durationSeconds: 7200, parallelStreams: 64, objectBytes: 8_000_000_000, scheme: 'https' },
  { tool: 's3', durationSeconds: 5, parallelStreams: 1, objectBytes: 5_000_000, operation: 'upload' },
  {
    tool: 's3',
    durationSeconds: 7200,
    parallelStreams: 64,
    objectBytes: 5_000_000_000,
    rangeBytes: 5_000_000_000,
    operation: 'download',
    scheme: 'https',
  },
];

function planned(measurement: unknown, index = 49): PlannedMeasurement {
  const { measurements } = benchmarkPlan.parse({
    name: 'test',
    pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
    measurements: [measurement],
  });
  return plannedMeasurement('p9999', index, { plan: measurements[0]!, planMeasurementIndex: 0, pairRepetition: 1 });
}

function expectAccepted({ document, parameters }: HostCommand): void {
  const declared = buildDocument(document).parameters;
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(declared).sort());
  for (const [name, [value]] of Object.entries(parameters)) {
    expect(`${name}=${value} ${new RegExp(declared[name]!.allowedPattern).test(value) ? 'matches' : 'fails'}`).toBe(
      `${name}=${value} matches`,
    );
  }
}

describe('every command fits the parameters and patterns of its document', () => {
  test.each(CONDITIONS.path.schema.options)('prepare-host, path %s', (path) => {
    for (const mtuBytes of CONDITIONS.mtuBytes.schema.values)
      for (const enaExpress of CONDITIONS.enaExpress.schema.options)
        for (const zoneRelation of CONDITIONS.zoneRelation.schema.options)
          expectAccepted(prepareCommand(context, { path, mtuBytes, enaExpress, zoneRelation }));
  });

  test.each(MEASUREMENTS)('%j', (measurement) => {
    const serve = serveCommand(context, planned(measurement));
    if (serve !== undefined) expectAccepted(serve);
    expectAccepted(measureCommand(context, planned(measurement)));
  });
});

describe('how long a command may take', () => {
  test.each(MEASUREMENTS)('%j: is expected after its duration, and fails well after that', (measurement) => {
    const { expectedSeconds, deadlineSeconds, parameters } = measureCommand(context, planned(measurement));

    expect(expectedSeconds).toBeGreaterThan(planned(measurement).durationSeconds);
    expect(deadlineSeconds).toBeGreaterThanOrEqual(expectedSeconds + 60);
    expect(parameters.ExecutionTimeoutSeconds).toEqual([String(deadlineSeconds)]);
  });

  test('an absent target rate is passed to iperf3 as 0', () => {
    expect(measureCommand(context, planned(MEASUREMENTS[0])).parameters.TargetBitsPerSecond).toEqual(['0']);
    const sockperf = MEASUREMENTS.find(({ tool }) => tool === 'sockperf');
    expect(measureCommand(context, planned(sockperf)).parameters).not.toHaveProperty('TargetBitsPerSecond');
  });
});
