/** The first article: sockperf 2.5 in Tokyo, 2013, zone by path by protocol. */
import { parseSockperfText } from '../../../../domain/tools/sockperf/text';
import type { LatencyOutput } from '../../../../domain/parsers/tool-output';
import { latencyStatistics } from '../../../support/parsed-statistics';
import { isSupported } from '../../../../domain/model/percentiles';
import { readFixture } from '../../../support/fixtures';

function parse(name: string): LatencyOutput {
  const output = parseSockperfText(readFixture(`tool-output/sockperf/${name}`));
  if (output.kind !== 'latency') throw new Error('must be round trips');
  return output;
}

/** As printed: half round trips. */
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

  test('no cell has enough observations for a p99.99', () => {
    const supported = MATRIX.map(([cell]) => isSupported('p99_99', parse(`2.5-matrix/${cell}.out`).observations!));
    expect(supported).toEqual(Array.from({ length: 10 }, () => false));
    for (const [cell] of MATRIX) {
      expect(parse(`2.5-matrix/${cell}.out`).warnings).toContainEqual(
        expect.stringMatching(/p99\.99: not supported by/),
      );
    }
  });

  test.each(MATRIX)('%s: UDP is quantised by a timer of 4 ms, TCP is not', (cell, protocol) => {
    const output = parse(`2.5-matrix/${cell}.out`);
    const isUdp = protocol === 'udp';
    expect(latencyStatistics(output).timerQuantumMicros).toBe(isUdp ? 4000 : undefined);
    expect(output.warnings.some((warning) => warning.startsWith('timer_quantised: '))).toBe(isUdp);
  });

  test("the article's order: same zone below other zone, private below public below load balancer", () => {
    const mean = (cell: string) => parse(`2.5-matrix/${cell}.out`).rttMicros!.mean;
    for (const cell of ['public-tcp', 'public-udp', 'private-tcp', 'private-udp', 'elb-tcp']) {
      expect(mean(`same-${cell}`)).toBeLessThan(mean(`other-${cell}`));
    }
    for (const zone of ['same', 'other']) {
      expect(mean(`${zone}-private-tcp`)).toBeLessThan(mean(`${zone}-public-tcp`));
      expect(mean(`${zone}-public-tcp`)).toBeLessThan(mean(`${zone}-elb-tcp`));
    }
  });
});
