/**
 * What a measurement with all that iperf3 is driven to comes to: recorded streams of both hosts, through the whole
 * analysis.
 */
import { describe, expect, test } from '@jest/globals';
import { analyseStreams, type FoundStream, type FoundStreams } from '../../../domain/analysis/measurement-result';
import { toolCpuOf, type ThroughputStatistics } from '../../../domain/model/statistics';
import type { RawStream } from '../../../domain/assembly/raw-streams';
import { MANIFEST_SCHEMA, type RawLine } from '../../../domain/model/raw-chunk';
import { readFixture } from '../../support/fixtures';
import { plannedRun, RUN_ID, typeFacts } from '../../support/planned-run';
import {
  chunkHeader,
  countersOf,
  iperf3Lines,
  stampedLines,
  STARTED_AT_SECONDS as STARTED_AT,
  textLines,
} from '../../support/raw-streams';

function found(hostRole: 'client' | 'server', name: string, seconds: number, allowance: RawLine[] = []): FoundStream {
  const command = ['iperf3', ...(hostRole === 'client' ? ['-c', '10.9.2.2', '-t', String(seconds)] : ['-s'])];
  const header = chunkHeader({ runId: RUN_ID, hostRole, instanceId: `i-${hostRole}`, command });
  const lines = stampedLines(readFixture(`tool-output/iperf3/3.12-driver/${name}.${hostRole}.out`));
  const manifest = {
    ...header,
    schema: MANIFEST_SCHEMA,
    endedAtSeconds: lines.at(-1)!.time,
    exitCode: 0,
    signal: null,
    chunks: [],
    lineCount: lines.length,
  } as const;
  return { stream: { header, lines: [...lines, ...allowance] }, manifest, faults: [] };
}

/** ENA's counter of one direction on one host: constant until an instant, then a thousand packets per second. */
function counter(name: 'bw_in_allowance_exceeded' | 'bw_out_allowance_exceeded', fromSecond: number): RawLine[] {
  return Array.from({ length: 50 }, (_, second) => ({
    time: STARTED_AT + second,
    source: 'ethtool' as const,
    counters: { [name]: Math.max(0, second - fromSecond) * 1000 },
  }));
}

function analyse(
  name: string,
  settings: Record<string, unknown>,
  client: RawLine[] = [],
  server: RawLine[] = [],
  pairs: Record<string, unknown>[] = [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
) {
  const types = [typeFacts('c5.xlarge'), typeFacts('t3.micro', { isBurstableCpu: true, vcpuCount: 2 })];
  const run = plannedRun({ pairs, measurements: [{ tool: 'iperf3', parallelStreams: 1, ...settings }] }, types);
  const pair = run.pairs[0]!;
  const seconds = Number(settings.durationSeconds);
  const host = { instanceId: 'i-1', zone: 'eu-test-1a', imageId: 'ami-x86', privateIp: '10.9.1.2' };
  return analyseStreams({
    run,
    pair,
    measurement: pair.measurements[0]!,
    hosts: { client: host, server: host } as never,
    streams: { client: found('client', name, seconds, client), server: found('server', name, seconds, server) },
    failureReason: null,
  }).result;
}

describe('on a host that the hypervisor refuses its processors, by the streams of both', () => {
  /** The tool's use, and nine tenths of a core refused in each second. */
  const withheld = Array.from({ length: 50 }, (_, second): RawLine => {
    const counters = { user_seconds: second * 0.02, system_seconds: second * 0.08, steal_seconds: 3 + second * 0.9 };
    return { time: STARTED_AT + second, source: 'cpu', counters };
  });
  const settings = { durationSeconds: 90, stopAfterThrottledSeconds: 10, latencyProbe: { messagesPerSecond: 10 } };
  const types = { clientType: 'c5.xlarge', serverType: 't3.micro' };
  const measured = (more: Record<string, unknown>) =>
    analyse('early-end-with-probe', settings, [], withheld, [{ ...types, ...more }]).verdict!;

  test('a T type with standard CPU credits was out of them', () => {
    const verdict = measured({ serverCpuCredits: 'standard' });
    expect(verdict.cause).toBe('cpu_credits');
    expect(verdict.explanation).toMatch(
      /^the receiver \(t3\.micro\) was out of CPU credits from the start: it was refused 90 % of a core \(steal\); /,
    );
  });

  test('one with unlimited ones, the default, was not', () => {
    expect(measured({}).explanation).not.toContain('CPU credits');
    expect(measured({}).kind).toBe('drop');
  });
});

describe('beside other work', () => {
  const settings = { durationSeconds: 90, stopAfterThrottledSeconds: 10, latencyProbe: { messagesPerSecond: 10 } };
  /** The tool uses a tenth of a core and waits for three tenths of each second; something always waits. */
  const processors = (own: number) => [
    { time: STARTED_AT, source: 'facts' as const, facts: { vcpuCount: 2 } },
    ...Array.from({ length: 50 }, (_, second): RawLine => {
      const used = { user_seconds: second * own * 0.2, system_seconds: second * own * 0.8 };
      const lacking = { waiting_seconds: 40 + second * 0.3, pressure_seconds: 900 + second * 0.98, steal_seconds: 3 };
      return { time: STARTED_AT + second, source: 'cpu', counters: { ...used, ...lacking } };
    }),
  ];
  const said =
    'other work kept the processors of the server busy, and the figures may show that instead of the network ' +
    '(the tool waited for a processor 30 % of the time, at least one program waited for a processor 98 % of the time, the hypervisor withheld 0 % of a processor)';

  test('says so in the result, the witnesses and the sentence, and has the figures', () => {
    const result = analyse('early-end-with-probe', settings, [], processors(0.1));
    expect(result.cpuContention).toBe(said);
    expect(result.verdict!.explanation).toMatch(/; other work kept the processors of the server busy$/);
    expect(result.verdict!.witnesses).toContainEqual({ name: 'cpu_contention', agrees: null, detail: said });
    expect(toolCpuOf(result).serverCpu).toMatchObject({
      waitingPercent: expect.closeTo(30, 3),
      pressurePercent: expect.closeTo(98, 3),
      stealPercent: 0,
    });
  });

  test('says nothing where the work is the tool’s own', () => {
    const result = analyse('early-end-with-probe', settings, [], processors(1.2));
    expect(result.cpuContention).toBeUndefined();
    expect(result.verdict!.witnesses.map(({ name }) => name)).not.toContain('cpu_contention');
  });
});

describe('ended after its throttle, with a latency probe beside it', () => {
  const result = analyse('early-end-with-probe', {
    durationSeconds: 90,
    stopAfterThrottledSeconds: 10,
    latencyProbe: { messagesPerSecond: 10 },
  });

  test('is complete, although it is shorter than durationSeconds', () => {
    expect(result).toMatchObject({ status: 'complete', durationSeconds: 90, verdict: { kind: 'drop' } });
    expect(result.reason).toBeUndefined();
    expect(result.verdict!.explanation).not.toContain('ended early');
  });

  test('has statistics of the round trips before the verdict’s onset and after it', () => {
    const { before, after } = (result.statistics as ThroughputStatistics).loadedLatency!;
    expect(after!.rttMicros.p50!).toBeGreaterThan(2 * before!.rttMicros.p50!);
    expect(before!.observations).toBeGreaterThan(100);
  });
});

describe('both directions at once', () => {
  const both = { durationSeconds: 50, direction: 'bidirectional' };

  test('each direction has its verdict, and the counters show whose bucket it was', () => {
    // Both fall near the ninth second: forward by what the client sends, reverse by what the client receives.
    const client = [...counter('bw_out_allowance_exceeded', 9), ...counter('bw_in_allowance_exceeded', 8)].reduce<
      RawLine[]
    >(merged, []);

    const result = analyse('bidirectional-throttled', both, client);

    expect(result.verdict).toMatchObject({ direction: 'forward', throttledBy: 'sender', throttledBucket: 'outbound' });
    expect(result.otherDirection).toMatchObject({
      direction: 'reverse',
      throttledBy: 'receiver',
      throttledBucket: 'inbound',
    });
    expect(result.verdict!.explanation).toContain("the sender's outbound burst credits");
  });

  test('without counters it is unknown whose bucket it was', () => {
    const result = analyse('bidirectional-throttled', both);

    expect(result.verdict).toMatchObject({ throttledBy: null, throttledBucket: null });
    expect(result.otherDirection).toBeDefined();
  });
});

/** Readings of one second are one line, as the driver gives all its counters at once. */
function merged(lines: RawLine[], line: RawLine): RawLine[] {
  const same = lines.findIndex((other) => other.time === line.time);
  if (same === -1 || !('counters' in line)) return [...lines, line];
  const other = lines[same]!;
  return lines.with(same, {
    ...other,
    counters: { ...('counters' in other && other.counters), ...line.counters },
  } as RawLine);
}

describe('one flow near 25 Gbit/s', () => {
  /** A minute of one flow, as both hosts saw it. */
  function analyseOneFlow(conditions: Record<string, unknown>, settings: Record<string, unknown> = {}) {
    const type = { ...typeFacts('c7gn.16xlarge'), baselineBitsPerSecond: 200e9, peakBitsPerSecond: 200e9 };
    const names = { clientType: type.instanceType, serverType: type.instanceType };
    const run = plannedRun(
      {
        pairs: [{ ...names, ...conditions }],
        measurements: [{ tool: 'iperf3', parallelStreams: 1, durationSeconds: 60, ...settings }],
      },
      [type],
    );
    const pair = run.pairs[0]!;
    const host = { instanceId: 'i-1', zone: 'eu-test-1a', imageId: 'ami-x86', privateIp: '10.9.1.2' };
    const series = Array.from({ length: 60 }, (_, second) => 24.6e9 * (1 + 0.002 * Math.sin(second * 2.3)));
    const streamOf = (hostRole: 'client' | 'server'): FoundStream => {
      const { stream, manifest } = found(hostRole, 'early-end-with-probe', 60);
      return { stream: { ...stream!, lines: iperf3Lines(hostRole, series, 1) }, manifest, faults: [] };
    };
    return analyseStreams({
      run,
      pair,
      measurement: pair.measurements[0]!,
      hosts: { client: host, server: host } as never,
      streams: { client: streamOf('client'), server: streamOf('server') },
      failureReason: null,
    }).result;
  }

  test('is capped where ENA Express is on at both hosts', () => {
    expect(analyseOneFlow({ enaExpress: 'both' }).verdict).toMatchObject({
      cause: 'single_flow_cap',
      explanation: expect.stringContaining('a single flow is capped at 25.0 Gbit/s over ENA Express'),
    });
  });

  test('is at no known cap without ENA Express', () => {
    expect(analyseOneFlow({ enaExpress: 'off' }).verdict).toMatchObject({ kind: 'steady' });
  });
});

describe('the status, and the reason for it', () => {
  const [client, server] = (['client', 'server'] as const).map((role) => found(role, 'early-end-with-probe', 90));
  const whole = { client: client!, server: server! };
  const nothing: FoundStream = { faults: [] };
  const ended = (manifest: object) => ({
    ...whole,
    client: { ...client!, manifest: { ...client!.manifest!, ...manifest } },
  });
  const withLines = (stream: RawStream, ...rates: string[]): RawStream => {
    const printed = rates.map((rate) => `[  5]  80.00-81.00  sec  1.00 MBytes  ${rate}`);
    return { ...stream, lines: [...stream.lines, ...textLines(printed.join('\n'))] };
  };
  const cut = (exitCode: number, server: Partial<FoundStream> = {}): FoundStreams => {
    const counted = (host: FoundStream): RawStream => {
      const counters = countersOf(30, { rx_bytes: (at) => (at < 8 ? 1e6 : 0), tcp_timeouts: (at) => (at < 8 ? 0 : 1) });
      return { ...host.stream!, lines: [...host.stream!.lines, ...counters] };
    };
    const { client: ofClient } = ended({ exitCode });
    return {
      client: { ...ofClient, stream: counted(ofClient) },
      server: { ...whole.server, stream: counted(whole.server), ...server },
    };
  };
  const pathCut =
    'the path between the hosts was cut: nothing arrived at the client after second 8, although both hosts went on and ' +
    'TCP sent 22 times again what was not acknowledged';
  const silent = { ...client!, stream: { ...client!.stream!, lines: [] } };

  test.each<[string, FoundStreams, string | null, string, string | undefined]>([
    ['all is there', whole, null, 'complete', undefined],
    [
      'the client has no manifest',
      { ...whole, client: { ...client!, manifest: undefined } },
      null,
      'truncated',
      'client: its stream has no end, because the host was lost or its tool still ran',
    ],
    [
      'the server has no manifest',
      { ...whole, server: { ...server!, manifest: undefined } },
      null,
      'truncated',
      'server: its stream has no end, because the host was lost or its tool still ran',
    ],
    ['nothing of the server', { ...whole, server: nothing }, null, 'truncated', 'nothing came from the server'],
    [
      'a hole',
      { ...whole, server: { ...server!, faults: ['server: chunk 3 is missing'] } },
      null,
      'truncated',
      'server: chunk 3 is missing',
    ],
    [
      'impossible rates',
      {
        ...whole,
        server: {
          ...server!,
          stream: withLines(server!.stream!, '-1e99 Kbits/sec', '10.1 Tbits/sec', '-nan bits/sec'),
        },
      },
      null,
      'truncated',
      'server: 2 lines with a rate below 0 or above 10 Tbit/s are left out',
    ],
    ['a warning of a host', ended({ warnings: ['the disk was full'] }), null, 'complete', undefined],
    ['an exit code', ended({ exitCode: 1 }), null, 'truncated', 'iperf3 ended with exit code 1'],
    [
      'a time limit',
      ended({ exitCode: 124 }),
      'time limit',
      'truncated',
      'time limit; iperf3 ended with exit code 124',
    ],
    ['a time limit because the path was cut', cut(124, { manifest: undefined }), 'time limit', 'truncated', pathCut],
    ['a server that waits, as the path was cut', cut(0, { manifest: undefined }), null, 'truncated', pathCut],
    ['a lost host after that', cut(0, { manifest: undefined }), 'it died', 'truncated', `${pathCut}; it died`],
    ['a silence in which both tools ended', cut(0), null, 'complete', undefined],
    ['a signal', ended({ exitCode: null, signal: 'SIGKILL' }), null, 'truncated', 'iperf3 was ended by SIGKILL'],
    ['a command that failed', whole, 'the client vanished', 'truncated', 'the client vanished'],
    [
      'nothing was measured',
      { ...whole, client: silent, server: nothing },
      null,
      'failed',
      'the tool printed no measured interval; nothing came from the server',
    ],
    ['nothing came', { client: nothing, server: nothing }, 'the client vanished', 'failed', 'the client vanished'],
  ])('%s', (_, streams, failureReason, status, reason) => {
    const measurements = [{ tool: 'iperf3', parallelStreams: 1, durationSeconds: 90 }];
    const run = plannedRun({ measurements }, [typeFacts('c5.xlarge')]);
    const pair = run.pairs[0]!;
    const host = { instanceId: 'i-1', zone: 'eu-test-1a', imageId: 'ami-x86', privateIp: '10.9.1.2' };
    const hosts = { client: host, server: host } as never;
    const { result } = analyseStreams({ run, pair, measurement: pair.measurements[0]!, hosts, streams, failureReason });
    expect([result.status, result.reason]).toEqual([status, reason]);
    const told = streams.client.manifest?.warnings !== undefined;
    expect(result.warnings.filter((warning) => warning.startsWith('client: '))).toEqual(
      told ? ['client: the disk was full'] : [],
    );
    expect(result.verdict === null).toBe(status === 'failed');
    if (status === 'truncated') expect(result.verdict!.explanation).toContain('ended early');
  });
});
