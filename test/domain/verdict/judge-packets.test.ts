/** What limited a series of packets per second: the allowances, the offered load, the processors, or nobody knows. */
import { describe, expect, test } from '@jest/globals';
import { judgePacketRate } from '../../../domain/analysis/judge-measurement';
import type { AllowanceGrowth } from '../../../domain/verdict/evidence';
import { judgePackets, type PacketEvidence } from '../../../domain/verdict/judge-packets';
import { facts } from '../../support/evidence';
import { stretches } from '../../support/rates';

const inPackets = (...parts: [seconds: number, rate: number][]) =>
  stretches(...parts).map(({ bitsPerSecond: packetsPerSecond, ...interval }) => ({ ...interval, packetsPerSecond }));
const LEVEL = inPackets([60, 400e3]);
/** What the receiver's interface counted. */
const PACKETS = { metric: 'packets', hostRole: 'server', direction: 'forward', stream: 'sum' } as const;
const FALL = inPackets([30.4, 800e3], [59.6, 400e3]);

function judge(evidence: Partial<PacketEvidence>) {
  return judgePackets({ direction: 'forward', series: LEVEL, truncated: false, ...evidence });
}

type Counter = Exclude<keyof AllowanceGrowth, 'hostRole' | 'startSeconds'>;

/** Both hosts' counters, all silent except those given: packets per second from a second on. */
function counters(
  growing: Partial<Record<`${'client' | 'server'} ${Counter}`, readonly [from: number, packets: number]>>,
) {
  const names: Counter[] = [
    'bwInAllowanceExceeded',
    'bwOutAllowanceExceeded',
    'ppsAllowanceExceeded',
    'conntrackAllowanceExceeded',
  ];
  return (['client', 'server'] as const).flatMap((hostRole) =>
    Array.from({ length: 90 }, (_, startSeconds): AllowanceGrowth => {
      const values = names.map((name) => {
        const [from, packets] = growing[`${hostRole} ${name}`] ?? [Infinity, 0];
        return [name, startSeconds >= from ? packets : 0] as const;
      });
      return { hostRole, startSeconds, ...(Object.fromEntries(values) as Record<Counter, number>) };
    }),
  );
}

const witnessOf = (verdict: ReturnType<typeof judge>, name: string) =>
  verdict.witnesses.find((each) => each.name === name);

describe('the packet-rate allowance', () => {
  const allowance = counters({ 'client ppsAllowanceExceeded': [0, 100e3] });

  test('limits a level rate: that rate is what the type carries', () => {
    const verdict = judge({ allowance, sentPacketsPerSecond: 500e3 });
    expect(verdict).toMatchObject({ cause: 'packet_rate', limitedBy: 'sender', kind: 'steady', onset: null });
    expect(verdict.baseline!.value).toBeCloseTo(400e3, -4);
    expect(verdict.explanation).toMatch(
      /^400 k packets\/s for 60\.0 s: the sender's packet-rate allowance was exceeded/,
    );
    expect(witnessOf(verdict, 'bandwidth_allowance')).toMatchObject({ agrees: true });
  });

  test('has a burst and a baseline in packets, and an onset', () => {
    const verdict = judge({ series: FALL, allowance: counters({ 'client ppsAllowanceExceeded': [30, 100e3] }) });
    expect(verdict).toMatchObject({ kind: 'drop', cause: 'packet_rate', limitedBy: 'sender' });
    expect(verdict.onset!.value).toBeCloseTo(30.4, 1);
    expect(verdict.burst!.value).toBeCloseTo(800e3, -4);
    expect(verdict.baseline!.value).toBeCloseTo(400e3, -4);
    expect(verdict.explanation).toContain('800 k packets/s for 30.4 s, then 400 k packets/s');
  });

  test('counts only from the onset on', () => {
    const before = counters({ 'client ppsAllowanceExceeded': [0, 0] }).map((each) => ({
      ...each,
      ppsAllowanceExceeded: each.startSeconds < 20 ? 1e6 : 0,
    }));
    expect(judge({ series: FALL, allowance: before }).cause).toBe('not_known');
  });

  test('of the receiver is named as such, in reverse by the other host', () => {
    const received = counters({ 'server ppsAllowanceExceeded': [0, 100e3] });
    expect(judge({ allowance: received }).limitedBy).toBe('receiver');
    expect(judge({ allowance: received, direction: 'reverse' }).limitedBy).toBe('sender');
  });

  test('is the limit however busy the sender is, because the tool sends as fast as it can', () => {
    const verdict = judge({ allowance, cpu: { senderPercent: 100 }, sentPacketsPerSecond: 500e3 });
    expect(verdict.cause).toBe('packet_rate');
  });

  test('is not the limit where most of what is missing was lost somewhere else', () => {
    // 400 k a second of 900 k arrived, and 100 k of the 500 k that are missing were held back.
    const verdict = judge({ allowance, sentPacketsPerSecond: 900e3 });
    expect(verdict).toMatchObject({ cause: 'not_known', limitedBy: null });
    expect(verdict.explanation).toContain(
      '56 % of the packets did not arrive, and allowances held back only 20 % of those',
    );
  });

  test('that is exceeded now and then is not the limit', () => {
    const bursts = allowance.map((each) => (each.startSeconds % 8 === 0 ? each : { ...each, ppsAllowanceExceeded: 0 }));
    const verdict = judge({ allowance: bursts });
    expect(verdict.cause).toBe('not_known');
    expect(witnessOf(verdict, 'packet_allowance')!.detail).toContain('only now and then');
  });
});

describe('other limits leave open how much more the type carries', () => {
  test('bandwidth', () => {
    const verdict = judge({ allowance: counters({ 'client bwOutAllowanceExceeded': [0, 5e3] }) });
    expect(verdict).toMatchObject({ cause: 'published_bandwidth', limitedBy: 'sender' });
    expect(verdict.explanation).toMatch(/^at least 400 k packets\/s/);
    expect(witnessOf(verdict, 'packet_allowance')).toMatchObject({
      agrees: true,
      detail: 'the packet-rate allowance held back no packet',
    });
  });

  test('bandwidth beside packets: the one that held back more, and the other contradicts', () => {
    const both = counters({ 'client ppsAllowanceExceeded': [0, 100e3], 'server bwInAllowanceExceeded': [0, 5e3] });
    const verdict = judge({ allowance: both });
    expect(verdict.cause).toBe('packet_rate');
    expect(witnessOf(verdict, 'bandwidth_allowance')!.agrees).toBe(false);
    expect(verdict.explanation).toContain('; but the bandwidth allowance held back 450000 packets at the receiver');
    expect(verdict.confidence).toBeLessThan(
      judge({ allowance: counters({ 'client ppsAllowanceExceeded': [0, 1e5] }) }).confidence!,
    );
  });

  test('tracked connections', () => {
    const verdict = judge({ allowance: counters({ 'server conntrackAllowanceExceeded': [0, 5e3] }) });
    expect(verdict).toMatchObject({ cause: 'connection_tracking', limitedBy: 'receiver' });
  });

  test("the sender's processor, where all that was sent has arrived", () => {
    const verdict = judge({ allowance: counters({}), cpu: { senderPercent: 99 }, sentPacketsPerSecond: 401e3 });
    expect(verdict).toMatchObject({ cause: 'cpu', limitedBy: 'sender' });
    expect(verdict.explanation).toBe(
      'at least 400 k packets/s for 60.0 s: the sender had no CPU left for more packets',
    );
  });

  test('the processors of several threads together', () => {
    const threaded = { cpu: { senderPercent: 380 }, flowCount: 16, sender: facts('c5.xlarge'), toolVersion: '3.16' };
    expect(judge({ ...threaded, allowance: counters({}) }).cause).toBe('cpu');
    expect(judge({ ...threaded, allowance: counters({}), cpu: { senderPercent: 300 } }).cause).toBe('not_known');
  });

  test("the receiver's processor, where a part did not arrive", () => {
    const busy = { senderPercent: 99, receiverPercent: 99 };
    const verdict = judge({ allowance: counters({}), cpu: busy, sentPacketsPerSecond: 800e3 });
    expect(verdict).toMatchObject({ cause: 'cpu', limitedBy: 'receiver' });
  });

  test('the offered load', () => {
    const verdict = judge({ allowance: counters({}), targetPacketsPerSecond: 401e3, cpu: { senderPercent: 99 } });
    expect(verdict).toMatchObject({ cause: 'tool_target', limitedBy: null });
  });

  test('the load that the plan offers in bits, as packets', () => {
    const samples = LEVEL.map((each) => ({ ...PACKETS, ...each }));
    const assembled = { samples, statistics: {}, complete: true, warnings: [] };
    const offered = (targetBitsPerSecond: number) =>
      judgePacketRate(assembled, { direction: 'forward', datagramBytes: 1250, targetBitsPerSecond, truncated: false });
    expect([4.01e9, 4.5e9].map((bits) => offered(bits).cause)).toEqual(['tool_target', 'not_known']);
  });

  test('nothing known: without counters, and with a part that did not arrive', () => {
    expect(judge({}).explanation).toContain('no allowance counters were read');
    const lost = judge({ allowance: counters({}), cpu: { senderPercent: 99 }, sentPacketsPerSecond: 800e3 });
    expect(lost.explanation).toContain('50 % of the packets did not arrive, and no allowance was exceeded');
  });
});

test('a card that splits segments is given fewer packets than arrive, which shows no loss', () => {
  const verdict = judge({ allowance: counters({}), sentPacketsPerSecond: 20e3, cpu: { senderPercent: 99 } });
  expect(verdict.cause).toBe('cpu');
  expect(witnessOf(verdict, 'arrival')!.detail).toContain('before its network card split them');
});

test('a few seconds are insufficient, without a confidence', () => {
  const verdict = judge({ series: inPackets([5, 400e3]), allowance: counters({}) });
  expect(verdict).toMatchObject({ kind: 'insufficient', baseline: null, confidence: null });
  expect(verdict.explanation).toBe('5 seconds of packet counts are too few to judge');
});
