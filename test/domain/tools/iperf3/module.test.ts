/** Valid settings of iperf3 in a plan, and where they can't be measured. */
import { describe, expect, test } from '@jest/globals';
import type { PairConditions } from '../../../../domain/model/conditions';
import { iperf3 } from '../../../../domain/tools/iperf3/module';

const parse = (fields: Record<string, unknown>) =>
  iperf3.plan.parse({ tool: 'iperf3', durationSeconds: 400, ...fields });
const problemsOf = (fields: Record<string, unknown>) =>
  iperf3.problems(parse(fields)).map(({ key, allowed }) => `${key}: ${allowed}`);
const dutyCycle = { onSeconds: 10, offSeconds: 30 };

describe('valid settings have no problem', () => {
  test.each([
    {},
    { dutyCycle },
    { dutyCycle, durationSeconds: 50 },
    { dutyCycle, latencyProbe: {} },
    { stopAfterThrottledSeconds: 120, latencyProbe: { messageBytes: 64, messagesPerSecond: 100 } },
    { stopAfterThrottledSeconds: 399 },
    { protocol: 'udp', targetBitsPerSecond: 1e9, direction: 'reverse', stopAfterThrottledSeconds: 10 },
    { protocol: 'udp', targetBitsPerSecond: 1e9, dutyCycle, latencyProbe: {} },
    { mssBytes: 536, congestionControl: 'bbr', socketBufferBytes: 4_194_304 },
    { protocol: 'udp', targetBitsPerSecond: 1e9, datagramBytes: 64, socketBufferBytes: 4_194_304 },
  ])('%j', (fields) => {
    expect(problemsOf(fields)).toEqual([]);
  });
});

describe('a problem names the field and what is allowed', () => {
  test.each([
    [{ protocol: 'udp' }, 'targetBitsPerSecond: given with protocol udp'],
    [{ datagramBytes: 64 }, 'datagramBytes: left out with protocol tcp'],
    [{ protocol: 'udp', targetBitsPerSecond: 1e9, mssBytes: 536 }, 'mssBytes: left out with protocol udp'],
    [
      { protocol: 'udp', targetBitsPerSecond: 1e9, congestionControl: 'bbr' },
      'congestionControl: left out with protocol udp',
    ],
    [
      { dutyCycle, durationSeconds: 49 },
      'dutyCycle: a cycle that durationSeconds holds twice (50 s are needed, 49 given)',
    ],
    [{ dutyCycle, stopAfterThrottledSeconds: 120 }, 'stopAfterThrottledSeconds: left out beside dutyCycle'],
    [{ stopAfterThrottledSeconds: 400 }, 'stopAfterThrottledSeconds: less than durationSeconds (400)'],
    [
      { protocol: 'udp', targetBitsPerSecond: 1e9, stopAfterThrottledSeconds: 120 },
      'stopAfterThrottledSeconds: absent where UDP is sent by the client',
    ],
    [
      { protocol: 'udp', targetBitsPerSecond: 1e9, direction: 'bidirectional', stopAfterThrottledSeconds: 120 },
      'stopAfterThrottledSeconds: absent where UDP is sent by the client',
    ],
  ])('%j', (fields, problem) => {
    expect(problemsOf(fields)).toEqual([expect.stringContaining(problem)]);
  });

  test('all problems are reported at once', () => {
    expect(
      problemsOf({ protocol: 'udp', dutyCycle, durationSeconds: 20, stopAfterThrottledSeconds: 120 }),
    ).toHaveLength(5);
  });

  test.each([
    { dutyCycle: { onSeconds: 1, offSeconds: 30 } },
    { dutyCycle: { onSeconds: 10, offSeconds: 0 } },
    { dutyCycle: { onSeconds: 10 } },
    { dutyCycle: { onSeconds: 2.5, offSeconds: 1 } },
    { stopAfterThrottledSeconds: 9 },
    { stopAfterThrottledSeconds: 3601 },
    { latencyProbe: { messageBytes: 13 } },
    { latencyProbe: { messageBytes: 1401 } },
    { latencyProbe: { messagesPerSecond: 9 } },
    { latencyProbe: { messagesPerSecond: 1001 } },
    { latencyProbe: { mode: 'ping_pong' } },
    { mssBytes: 87 },
    { mssBytes: 8_962 },
    { datagramBytes: 15 },
    { datagramBytes: 65_508 },
    { congestionControl: '-C' },
    { congestionControl: 'sixteen_letters_' },
    { socketBufferBytes: 4_095 },
    { socketBufferBytes: 536_870_913 },
  ])('%j is refused by the schema', (fields) => {
    expect(iperf3.plan.safeParse({ tool: 'iperf3', durationSeconds: 400, ...fields }).success).toBe(false);
  });
});

describe('through a load balancer', () => {
  const pair = (path: PairConditions['path']) => ({ path }) as PairConditions;
  const defaults = iperf3.settings(iperf3.plan.parse({ tool: 'iperf3', durationSeconds: 400 }));
  const reason = (settings: Partial<typeof defaults>, path: PairConditions['path'] = 'nlb') =>
    iperf3.notApplicable({ ...defaults, ...settings }, pair(path));

  test.each([
    { durationSeconds: 6000 },
    { durationSeconds: 350, protocol: 'udp' as const },
    { durationSeconds: 7200, dutyCycle: { onSeconds: 600, offSeconds: 600 } },
    { durationSeconds: 7200, protocol: 'udp' as const, dutyCycle },
  ])('%j can be measured', (settings) => {
    expect(reason(settings)).toBeUndefined();
  });

  test.each([
    [{ durationSeconds: 6001 }, '6001 s outlast'],
    [{ durationSeconds: 351, protocol: 'udp' as const }, '351 s outlast'],
    [
      { durationSeconds: 7200, protocol: 'udp' as const, dutyCycle: { onSeconds: 400, offSeconds: 9 } },
      '400 s outlast',
    ],
    [{ latencyProbe: { messageBytes: 64, messagesPerSecond: 100 } }, "not on the latency probe's"],
  ])("%j can't be measured, and the reason says why", (settings, words) => {
    expect(reason(settings)).toContain(words);
    expect(reason(settings, 'private')).toBeUndefined();
  });
});

describe('segments that do not fit into the packets of the way', () => {
  const reason = (mssBytes: number, conditions: Pick<PairConditions, 'path' | 'mtuBytes'>) =>
    iperf3.notApplicable(iperf3.settings(parse({ mssBytes })), conditions as PairConditions);

  test.each([
    [8_961, { path: 'private', mtuBytes: 9001 }],
    [1_460, { path: 'private', mtuBytes: 1500 }],
    [1_460, { path: 'public', mtuBytes: 9001 }],
  ] as const)('%j bytes, %j: can be measured', (mssBytes, conditions) => {
    expect(reason(mssBytes, conditions)).toBeUndefined();
  });

  test.each([
    [1_461, { path: 'private', mtuBytes: 1500 }],
    [8_961, { path: 'public', mtuBytes: 9001 }],
  ] as const)("%j bytes, %j: can't", (mssBytes, conditions) => {
    expect(reason(mssBytes, conditions)).toBe(
      `segments of ${mssBytes} bytes don't fit into packets of 1500 bytes, which carry 1460`,
    );
  });
});
