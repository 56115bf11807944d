/** What held round trips back, from the counters of both hosts while they were measured. */
import { describe, expect, test } from '@jest/globals';
import { judgeLatency, type LatencyEvidence, type LatencySecond } from '../../../domain/verdict/judge-latency';
import { facts } from '../../support/evidence';

const m5Large = facts('m5.large', 0.75, 10);

type Counters = Omit<LatencySecond, 'hostRole' | 'startSeconds'>;
const SILENT = {
  bwInAllowanceExceeded: 0,
  bwOutAllowanceExceeded: 0,
  ppsAllowanceExceeded: 0,
  conntrackAllowanceExceeded: 0,
} as const;

/** Ten seconds of both hosts: their counters are silent but for what is given, of the client in each second. */
function secondsOf(client: (second: number) => Partial<Counters>, server: Partial<Counters> = {}): LatencySecond[] {
  return Array.from({ length: 10 }, (_, startSeconds): LatencySecond[] => [
    { hostRole: 'client', startSeconds, ...SILENT, ...client(startSeconds) },
    { hostRole: 'server', startSeconds, ...SILENT, ...server },
  ]).flat();
}

function judge(evidence: Partial<LatencyEvidence>) {
  return judgeLatency({
    seconds: secondsOf(() => ({})),
    types: { client: m5Large, server: m5Large },
    roundTrips: 50_000,
    isProcessorUseKnown: true,
    ...evidence,
  });
}

const standingOf = ({ causes }: ReturnType<typeof judgeLatency>, wanted: string) =>
  causes.find(({ cause }) => cause === wanted)?.standing;

describe('network credits', () => {
  const carrying = (bitsPerSecond: number) => ({
    bwOutAllowanceExceeded: 2_000,
    sentBitsPerSecond: bitsPerSecond,
    receivedBitsPerSecond: bitsPerSecond,
  });

  test('a bandwidth counter that grows while the host carries its baseline shows that they were spent', () => {
    const verdict = judge({ seconds: secondsOf(() => carrying(750e6)) });
    expect(verdict).toMatchObject({ cause: 'network_credits', limitedBy: 'client' });
    expect(verdict.explanation).toBe(
      'the bandwidth allowance of the client queued or dropped 20000 packets in 10 of 10 seconds, because its network ' +
        'credits were spent; the round trips therefore show this limit and not the path',
    );
  });

  test('they run out in the course of a measurement', () => {
    const seconds = secondsOf((second) => (second < 6 ? carrying(3e9) : carrying(750e6)));
    expect(judge({ seconds })).toMatchObject({ cause: 'network_credits', limitedBy: 'client' });
  });

  test.each([
    ['burst, for which there are credits', 3e9],
    ['light load, whose bursts last microseconds', 40e6],
  ])('EC2 lets the counter grow in a %s', (_, bitsPerSecond) => {
    const verdict = judge({ seconds: secondsOf(() => carrying(bitsPerSecond)) });
    expect(verdict.cause).toBeNull();
    expect(standingOf(verdict, 'network_credits')).toBe('ruled_out');
    expect(verdict.causes[0]?.reason).toContain('queued or dropped 20000 packets, but only in bursts');
  });

  test('an inbound counter is held against what arrives', () => {
    const arriving = { bwInAllowanceExceeded: 2_000, receivedBitsPerSecond: 750e6, sentBitsPerSecond: 40e6 };
    const verdict = judge({ seconds: secondsOf(() => ({}), arriving) });
    expect(verdict).toMatchObject({ cause: 'network_credits', limitedBy: 'server' });
  });

  test('bursts of a moment at a load that happens to be near the baseline hold back few of its packets', () => {
    const light = { bwOutAllowanceExceeded: 33, sentBitsPerSecond: 720e6, sentPacketsPerSecond: 11_000 };
    const verdict = judge({ seconds: secondsOf((second) => (second % 2 === 0 ? light : {})), roundTrips: 5_470 });
    expect([verdict.cause, standingOf(verdict, 'network_credits')]).toEqual([null, 'ruled_out']);
    const shaped = { ...light, bwOutAllowanceExceeded: 9_000 };
    expect(judge({ seconds: secondsOf(() => shaped) }).cause).toBe('network_credits');
  });

  test('of a type without a published baseline, the counter is all that is known', () => {
    const { baselineBitsPerSecond: _, ...unpublished } = m5Large;
    const seconds = secondsOf(() => ({}), carrying(3e9));
    const verdict = judge({ seconds, types: { client: m5Large, server: unpublished } });
    expect(verdict).toMatchObject({ cause: 'network_credits', limitedBy: 'server' });
  });

  test.each([[20, null], [9_000, 'network_credits']])('at a rate that was not read, %d of 11,000 packets: %s', (packets, cause) => {
    const unread = { bwOutAllowanceExceeded: packets, sentPacketsPerSecond: 11_000 };
    expect(judge({ seconds: secondsOf(() => unread) }).cause).toBe(cause);
  }); // prettier-ignore

  test('a type whose baseline is its peak has none to spend', () => {
    const seconds = secondsOf(() => carrying(10e9));
    const verdict = judge({ seconds, types: { client: { ...m5Large, baselineBitsPerSecond: 10e9 } } });
    expect(verdict.cause).toBe('published_bandwidth');
  });
});

describe('other allowances', () => {
  test.each([
    ['packet_rate', { ppsAllowanceExceeded: 20 }, undefined],
    ['fragment_rate', { ppsAllowanceExceeded: 100 }, 2],
    ['connection_tracking', { conntrackAllowanceExceeded: 20 }, undefined],
  ])('%s', (cause, counters, fragmentsPerMessage) => {
    const verdict = judge({ seconds: secondsOf(() => ({}), counters), fragmentsPerMessage });
    expect(verdict).toMatchObject({ cause, limitedBy: 'server' });
  });

  test('the one that held back the most is the cause', () => {
    const seconds = secondsOf(() => ({ ppsAllowanceExceeded: 100, conntrackAllowanceExceeded: 500 }));
    expect(judge({ seconds }).cause).toBe('connection_tracking');
  });

  test.each([
    [2, 510, 40, 'fragment_rate'],
    [12, 85, 40, 'fragment_rate'],
    [2, 518, 40, 'fragment_rate'],
    [2, 300, 40, null],
    [2, 700, 40, null],
    [2, 510, 0, null],
    [2, 3_000, 40, null],
    [undefined, 510, 40, null],
  ])('%s fragments, %d transactions a second, %d lost: %s', (fragmentsPerMessage, rate, droppedMessages, cause) => {
    const evidence = { seconds: [], fragmentsPerMessage, transactionsPerSecond: rate, droppedMessages };
    expect(judge(evidence).cause).toBe(cause);
  });
});

describe('what decides nothing', () => {
  test('silent counters of both hosts rule every allowance out', () => {
    const { cause, limitedBy, causes, explanation } = judge({});
    expect([cause, limitedBy, explanation]).toEqual([null, null, 'no allowance of either host held a message back']);
    expect(causes.map(({ standing }) => standing)).toEqual(['ruled_out', 'ruled_out', 'ruled_out', 'ruled_out']);
  });

  test('a few packets in one second change only the longest round trips', () => {
    const seconds = secondsOf((second) => (second === 3 ? { ppsAllowanceExceeded: 12 } : {}));
    const verdict = judge({ seconds });
    expect(standingOf(verdict, 'packet_rate')).toBe('possible');
    expect(verdict).toMatchObject({
      cause: null,
      explanation: expect.stringContaining('in 1 of 10 seconds, which is too few'),
    });
  });

  test('one lost fragment ends a ping-pong', () => {
    const seconds = secondsOf((second) => (second === 3 ? { ppsAllowanceExceeded: 1 } : {}));
    expect(judge({ seconds, fragmentsPerMessage: 2 }).cause).toBe('fragment_rate');
  });

  test('one packet in a hundred round trips is no small part of them, in however few seconds', () => {
    const seconds = secondsOf((second) => (second === 3 ? { ppsAllowanceExceeded: 12 } : {}));
    expect(judge({ seconds, roundTrips: 1_200 }).cause).toBe('packet_rate');
  });

  test('a host whose counters were not read may have held messages back', () => {
    const unread = { bwInAllowanceExceeded: undefined, bwOutAllowanceExceeded: undefined };
    const verdict = judge({ seconds: secondsOf(() => ({}), unread), isProcessorUseKnown: false });
    expect(['network_credits', 'cpu'].map((cause) => standingOf(verdict, cause))).toEqual(['not_read', 'not_read']);
    expect(verdict.explanation).toBe(
      'it is not known whether anything held messages back: the counters of the bandwidth allowance were not read at the ' +
        'server',
    );
  });
});

describe('busy processors', () => {
  const cpuContention = 'other work kept the processors of the client busy';

  test('are the cause where no allowance is', () => {
    expect(judge({ cpuContention })).toMatchObject({ cause: 'cpu', limitedBy: null, explanation: cpuContention });
  });

  test('come first in the sentence about another cause', () => {
    const seconds = secondsOf(() => ({ ppsAllowanceExceeded: 100 }));
    const verdict = judge({ seconds, cpuContention });
    expect(verdict.cause).toBe('packet_rate');
    expect(verdict.explanation).toMatch(
      /^other work kept the processors of the client busy; the packet-rate allowance/,
    );
  });
});
