import { parseSockperfText } from '../../../domain/parsers/sockperf-text';
import { latencyStatistics } from '../../../domain/statistics/latency-statistics';
import { readFixture } from '../../support/fixtures';

function parse(name: string) {
  return parseSockperfText(readFixture(`tool-output/sockperf/${name}`));
}

describe('versions and modes, always as round trips', () => {
  test.each([
    // Half of these is printed.
    [
      '2.7-pp-tcp-16k.out',
      '2.7',
      215786,
      {
        mean: 13.882,
        stdDev: 35.254,
        p50: 13.238,
        p95: 13.88,
        p99_5: 31.456,
        p99_99: 1488.068,
        max: 5220.048,
        min: 12.298,
      },
    ],
    [
      '3.7-pp-tcp-16k.out',
      '3.7',
      184821,
      { mean: 13.78, stdDev: 25.822, p50: 13.228, p99: 16.012, p99_999: 3269.932, max: 3537.488, min: 12.318 },
    ],
    [
      '3.10-pp-tcp-16k.out',
      '3.10',
      151871,
      { mean: 16.768, stdDev: 101.786, p50: 12.998, p99_9: 1004.166, max: 15523.822, min: 12.016 },
    ],
    ['3.10-pp-n.out', '3.10', 2000, { mean: 13.686, p25: 11.746, p75: 12.408, p90: 12.568 }],
    // These are printed as they are: --full-rtt.
    [
      '3.10-pp-fullrtt.out',
      '3.10',
      123287,
      { mean: 12.544, stdDev: 10.89, p50: 12.208, p99_99: 156.933, max: 2863.814, min: 11.306 },
    ],
    ['3.7-pp-full.out', '3.7', 25005, { mean: 61.895, stdDev: 82.188, p25: 5.143, p99: 218.642, max: 4182.57 }],
    // Under load.
    ['3.7-ul.out', '3.7', 14, { mean: 354.016, p50: 23.864, max: 4271.23 }],
  ])('%s', (name, toolVersion, observations, rttMicros) => {
    const output = parse(name);
    expect(output).toMatchObject({ mode: 'round_trip', protocol: 'tcp', toolVersion, observations, complete: true });
    expect(output.rttMicros).toMatchObject(rttMicros);
    expect(output).toMatchObject({ droppedMessages: 0, duplicatedMessages: 0, outOfOrderMessages: 0 });
  });

  test('percentiles that a version does not print are absent', () => {
    expect(parse('3.7-pp-tcp-16k.out').rttMicros).not.toHaveProperty('p95');
    expect(parse('3.7-pp-tcp-16k.out').rttMicros).not.toHaveProperty('p99_5');
    expect(parse('2.7-pp-tcp-16k.out').rttMicros).not.toHaveProperty('p99_999');
  });

  test('the head of a --full-log carries the same statistics', () => {
    expect(parse('3.7-pp.full.head.csv').rttMicros).toEqual(parse('3.7-pp-tcp-16k.out').rttMicros);
  });

  test('full round trips under the old name are found by the time per message', () => {
    const text = readFixture('tool-output/sockperf/3.7-pp-full.out').replace('avg-rtt=', 'avg-latency=');
    const output = parseSockperfText(text);
    expect(output.rttMicros?.mean).toBe(61.895);
    expect(output.warnings[0]).toMatch(/taken as full round trips/);
  });

  test('throughput mode: MBps is MiB/s', () => {
    const output = parse('2.7-tp.out');
    expect(output).toMatchObject({ mode: 'throughput', complete: true });
    expect(output.sentBitsPerSecond).toBeCloseTo(2654.391 * 1_048_576 * 8, 0);
    expect(latencyStatistics(output)).toEqual({});
  });

  test("a server's output is no measurement", () => {
    expect(parse('3.7-server.out')).toMatchObject({ mode: 'server', complete: false });
  });
});

/** The ten cells that a sockperf 2.5 measured in Tokyo in 2013, as printed: half round trips. */
type Cell = [name: string, protocol: string, observations: number, seconds: number, ...half: number[]];
// prettier-ignore
const MATRIX: Cell[] = [
  // name, protocol, observations, seconds; mean, std-dev, min, p25, p50, p75, p90, p95, p99, p99.5, p99.9, p99.99 = max
  ['same-public-tcp', 'tcp', 3417, 9.998, 1462.875, 1090.76, 721.464, 1022.388, 1237.302, 1718.117, 2176.901, 2655.743, 3328.685, 3809.342, 18919.201, 31958.137],
  ['same-public-udp', 'udp', 1159, 9.997, 4312.799, 1570.727, 3441.178, 3997.844, 4000.878, 4005.037, 5995.283, 6002.642, 8002.157, 8009.275, 32017.07, 34023.287],
  ['same-private-tcp', 'tcp', 3814, 10.001, 1310.974, 1300.552, 347.386, 714.38, 1085.067, 1618.295, 2222.535, 2647.471, 4177.719, 5004.997, 18777.097, 31679.585],
  ['same-private-udp', 'udp', 1224, 9.601, 3921.816, 1746.14, 1941.773, 3990.058, 3999.775, 4005.645, 4990.765, 5999.88, 7998.229, 8008.463, 32013.095, 34020.301],
  ['same-elb-tcp', 'tcp', 2605, 9.955, 1910.55, 948.343, 1145.673, 1427.325, 1670.907, 2069.907, 2781.928, 3234.758, 4265.762, 4643.678, 13266.08, 31351.928],
  ['other-public-tcp', 'tcp', 1962, 10.001, 2548.662, 1832.228, 1606.874, 1963.635, 2070.109, 2629.824, 3924.323, 4025.45, 4294.068, 12983.683, 26070.326, 46399.863],
  ['other-public-udp', 'udp', 1140, 10.001, 4386.197, 1533.904, 3253.957, 3996.925, 4001.184, 4007.216, 5995.108, 6004.485, 10006.633, 12003.96, 26138.757, 28006.313],
  ['other-private-tcp', 'tcp', 2297, 10.003, 2177.273, 1583.329, 1274.989, 1768.126, 1997.917, 2088.335, 2579.413, 2913.86, 11637.611, 12957.637, 24238.81, 26539.603],
  ['other-private-udp', 'udp', 924, 9.997, 5409.573, 1625.872, 1996.65, 4001.799, 5994.757, 6003.931, 6012.314, 7988.814, 8020.686, 12113.971, 20010.379, 25542.427],
  ['other-elb-tcp', 'tcp', 1562, 10, 3200.865, 1955.397, 1889.028, 2218.596, 2928.466, 3850.997, 4015.404, 4114.684, 14068.981, 19981.548, 24183.071, 25292.453],
];

describe('the 2013 matrix of zone, path and protocol', () => {
  test.each(MATRIX)('%s', (cell, protocol, observations, seconds, ...half) => {
    const output = parse(`2.5-matrix/${cell}.out`);
    const [mean, stdDev, min, p25, p50, p75, p90, p95, p99, p99_5, p99_9, max] = half.map(
      (micros) => Math.round(micros * 2000) / 1000,
    );
    expect(output).toMatchObject({
      toolVersion: '2.5',
      protocol,
      observations,
      durationSeconds: seconds,
      complete: true,
    });
    expect(output.rttMicros).toEqual({
      mean,
      stdDev,
      min,
      p25,
      p50,
      p75,
      p90,
      p95,
      p99,
      p99_5,
      p99_9,
      p99_99: max,
      max,
    });
  });

  test.each(MATRIX)('%s: the time per message is the round trip', (cell, _protocol, observations, seconds) => {
    const microsPerMessage = (seconds * 1e6) / observations;
    expect(parse(`2.5-matrix/${cell}.out`).rttMicros!.mean / microsPerMessage).toBeCloseTo(1, 2);
  });

  test('no cell has the observations that a p99.99 takes', () => {
    const unsupported = MATRIX.filter(([cell]) =>
      parse(`2.5-matrix/${cell}.out`).warnings.some((one) => one.includes('p99.99')),
    );
    expect(unsupported).toHaveLength(10);
  });
});

describe('failures, in the words of the tool', () => {
  test.each([
    ['3.7-pp-refused.out', 'sockperf: ERROR: Can`t connect socket (errno=111 Connection refused)'],
    ['3.7-pp-silent.out', 'sockperf: No messages were received from the server. Is the server down?'],
    ['3.7-pp-killed.out', 'sockperf: ERROR: A connection was forcibly closed by a peer (errno=0 Success)'],
  ])('%s', (name, incompleteReason) => {
    const output = parse(name);
    expect(output).toMatchObject({ complete: false, incompleteReason });
    expect(latencyStatistics(output)).toEqual({});
  });

  test('cut off before the statistics', () => {
    const text = readFixture('tool-output/sockperf/3.7-pp-full.out');
    const output = parseSockperfText(text.slice(0, text.indexOf('Total 25005')));
    expect(output).toMatchObject({ complete: false, incompleteReason: 'no final statistics' });
  });

  test('stopped by hand', () => {
    const text = readFixture('tool-output/sockperf/3.7-pp-full.out').replace('by timer', 'by user');
    expect(parseSockperfText(text)).toMatchObject({
      complete: false,
      incompleteReason: 'Test end (interrupted by user)',
    });
  });

  test('nan and infinity are not measured', () => {
    const text = readFixture('tool-output/sockperf/3.7-pp-full.out').replace(/= +218\.642/, '= -nan');
    expect(parseSockperfText(text).rttMicros).not.toHaveProperty('p99');
  });
});
