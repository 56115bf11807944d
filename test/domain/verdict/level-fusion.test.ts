import type { InstanceTypeFacts } from '../../../domain/model/instance-type';
import type { Cause } from '../../../domain/model/verdict';
import type { ThroughputEvidence } from '../../../domain/verdict/evidence';
import {
  bursting,
  confidenceOf,
  facts,
  GIGA,
  growth,
  judge,
  sustained,
  witness,
  flowCapBetweenHosts,
} from '../../support/evidence';
import { stretches } from '../../support/rates';

const level = (giga: number, seconds = 90) => stretches([seconds, giga * GIGA]);
const fast = facts('c5n.18xlarge', 100, 100);
const credited = facts('c5n.large', 3, 25);

interface Case {
  readonly when: string;
  readonly giga: number;
  readonly known: Partial<ThroughputEvidence>;
  readonly cause: Cause | null;
  /** Credits were spent and lasted. */
  readonly isCensored?: boolean;
}

const both = (type: InstanceTypeFacts) => ({ sender: type, receiver: type });

const CASES: readonly Case[] = [
  // The cap of a single flow.
  { when: 'one flow at 5', giga: 4.96, known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts() }, cause: 'single_flow_cap' },
  {
    when: 'one flow at 5 in a spread group',
    giga: 4.96,
    known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts({ placement: 'spread' }) },
    cause: 'single_flow_cap',
  },
  {
    when: 'one flow at 5 in a cluster group, where the cap is 10',
    giga: 4.96,
    known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts({ placement: 'cluster' }) },
    cause: null,
  },
  { when: 'one flow at 9.6 in a cluster group', giga: 9.6, known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts({ placement: 'cluster' }) }, cause: 'single_flow_cap' },
  { when: 'one flow at 9.6 between hosts that are close by chance', giga: 9.6, known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts() }, cause: 'single_flow_cap' },
  { when: 'one flow at 9.6 of types without published peak', giga: 9.6, known: { ...both(facts('m4.10xlarge')), flowCount: 1 }, cause: null },
  { when: 'one flow at 9.6 of types that peak at 10', giga: 9.6, known: { ...both(facts('c5.4xlarge', 10, 10)), flowCount: 1, singleFlowCap: flowCapBetweenHosts({ placement: 'cluster' }) }, cause: null },
  { when: 'one flow at 7', giga: 7, known: { ...both(fast), flowCount: 1, singleFlowCap: flowCapBetweenHosts() }, cause: null },
  { when: 'two flows at 5', giga: 4.96, known: { ...both(fast), flowCount: 2, singleFlowCap: flowCapBetweenHosts() }, cause: null },
  { when: 'an unknown number of flows at 5', giga: 4.96, known: both(fast), cause: null },
  { when: 'one flow with a target of 5', giga: 4.96, known: { ...both(fast), flowCount: 1, targetBitsPerSecond: 5 * GIGA }, cause: 'tool_target' },
  // Credits that lasted.
  { when: 'above the baseline of both', giga: 2, known: both(bursting), cause: null, isCensored: true },
  { when: "above the sender's baseline", giga: 2, known: { sender: bursting, receiver: sustained }, cause: null, isCensored: true },
  { when: "above the receiver's baseline", giga: 2, known: { sender: sustained, receiver: bursting }, cause: null, isCensored: true },
  { when: 'at the baseline', giga: 0.49, known: both(bursting), cause: null },
  { when: 'above a baseline that is the peak', giga: 2.5, known: both(sustained), cause: null },
  { when: 'with nothing published', giga: 2, known: both(facts('m4.xlarge')), cause: null },
  { when: 'above a baseline published for one end only', giga: 2, known: { sender: bursting, receiver: facts('m4.xlarge') }, cause: null, isCensored: true },
  { when: 'with a target above the baseline', giga: 1, known: { ...both(bursting), targetBitsPerSecond: GIGA }, cause: 'tool_target', isCensored: true },
  { when: 'above the baseline, one flow capped', giga: 4.96, known: { ...both(credited), flowCount: 1, singleFlowCap: flowCapBetweenHosts() }, cause: 'single_flow_cap' },
  // CPU.
  { when: 'the core of the sender is busy', giga: 22, known: { ...both(fast), flowCount: 1, cpu: { senderPercent: 99 } }, cause: 'cpu' },
  { when: 'the core of the receiver is busy', giga: 22, known: { ...both(fast), flowCount: 1, cpu: { receiverPercent: 99 } }, cause: 'cpu' },
  { when: 'four flows use one of four cores', giga: 22, known: { ...both(fast), flowCount: 4, toolVersion: '3.16', cpu: { senderPercent: 99 } }, cause: null },
  { when: 'four flows share one thread of an old iperf3', giga: 22, known: { ...both(fast), flowCount: 4, toolVersion: '3.12', cpu: { senderPercent: 99 } }, cause: 'cpu' },
  { when: 'eight flows fill all four cores', giga: 22, known: { ...both(fast), flowCount: 8, toolVersion: '3.18', cpu: { senderPercent: 390 } }, cause: 'cpu' },
  { when: 'the core is busy at the published peak', giga: 97, known: { ...both(fast), flowCount: 1, cpu: { senderPercent: 99 } }, cause: null },
  // The other end.
  { when: 'at what the receiver sustains', giga: 2.4, known: { sender: fast, receiver: sustained }, cause: 'published_bandwidth' },
  { when: 'at what the sender sustains', giga: 2.4, known: { sender: sustained, receiver: fast }, cause: null },
  { when: 'at what both sustain', giga: 2.4, known: both(sustained), cause: null },
]; // prettier-ignore

describe('the verdict on a level rate', () => {
  test.each(CASES)('$when: $cause', ({ giga, known, cause, isCensored = known.sender === credited }) => {
    const verdict = judge({ series: level(giga), ...known });
    expect(verdict).toMatchObject({ kind: 'steady', cause, throttledBy: null, onset: null });
    expect(witness(verdict, 'peer_bucket')).toBeUndefined();
    expect(verdict.bucketBitsAtLeast !== null).toBe(isCensored);
    expect(verdict.holdTimes.length > 0).toBe(isCensored);
  });

  test('without a drop has lower bounds, and names the end of the baseline', () => {
    const verdict = judge({ series: level(2), sender: bursting, receiver: sustained });
    expect(verdict.explanation).toContain("above the sender's published baseline of 0.50 Gbit/s");
    expect(verdict).toMatchObject({ refill: null, bucket: null });
    // 135 Gbit came back at 0.5 Gbit/s or up to 1.64 times as fast.
    expect(verdict.refillSecondsAtLeast).toBeCloseTo(270 / 1.64, 0);
    expect(verdict.holdTimes.at(-1)).toMatchObject({ seconds: null });
    expect(verdict.holdTimes.at(-1)!.atLeastSeconds).toBeCloseTo(90, 0);
  });

  test('uses the lower of two baselines, which gives the smaller bound', () => {
    const verdict = judge({ series: level(2), sender: facts('c5.2xlarge', 1, 2), receiver: bursting });
    expect(verdict.bucketBitsAtLeast! / GIGA).toBeCloseTo(135, 0);
    expect(verdict.holdTimes[0]!.atLeastSeconds).toBeLessThan(300);
  });

  test('of a truncated measurement says so', () => {
    const verdict = judge({ series: level(2), ...both(bursting), truncated: true });
    expect(verdict.explanation).toMatch(/did not run out; the measurement ended early$/);
  });
});

describe('the counters of a level rate', () => {
  const out = (fromSecond: number) => growth('bwOutAllowanceExceeded', 'client', fromSecond);
  const inbound = (fromSecond: number) => growth('bwInAllowanceExceeded', 'server', fromSecond);

  test('agree when they are silent', () => {
    const verdict = judge({
      series: level(2.4),
      ...both(sustained),
      allowance: [...out(Infinity), ...inbound(Infinity)],
    });
    expect(witness(verdict, 'ena_allowance_counters')!.agrees).toBe(true);
  });

  test('that grow all the time are neutral, because a full link queues packets too', () => {
    const verdict = judge({ series: level(2.4), ...both(sustained), allowance: out(0) });
    expect(witness(verdict, 'ena_allowance_counters')!.agrees).toBeNull();
  });

  test('that grow all the time contradict a busy core', () => {
    const known = { series: level(22), ...both(fast), flowCount: 1, cpu: { senderPercent: 99 } };
    const verdict = judge({ ...known, allowance: out(0) });
    expect(verdict.cause).toBe('cpu');
    expect(witness(verdict, 'ena_allowance_counters')!.agrees).toBe(false);
    expect(verdict.confidence).toBeLessThan(confidenceOf(judge(known)));
    expect(verdict.explanation).toContain('so the network limited the rate as well');
  });

  test('that grow at the receiver agree with the receiver’s limit', () => {
    const known = { series: level(2.4), sender: fast, receiver: sustained };
    expect(witness(judge({ ...known, allowance: inbound(0) }), 'ena_allowance_counters')!.agrees).toBe(true);
    expect(witness(judge({ ...known, allowance: out(0) }), 'ena_allowance_counters')!.agrees).toBeNull();
  });
});
