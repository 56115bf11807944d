import {
  bursting,
  confidenceOf,
  facts,
  GIGA,
  growth,
  judge,
  throttledSeries,
  witness,
  flowCapBetweenHosts,
} from '../../support/evidence';
import { stretches, stretchesWith } from '../../support/rates';

describe('the verdict on a throttle', () => {
  test('has one sentence', () => {
    expect(judge({ sender: bursting }).explanation).toMatch(
      /^2\.0 Gbit\/s for 30\.4 s \(30\.3 to 30\.\d s\), then 0\.50 Gbit\/s: the sender's outbound burst credits \(45\.\d Gbit above the baseline\) ran out$/,
    );
  });

  test('has no known cause, and says so, when nothing but the series is known', () => {
    const verdict = judge({});
    expect(verdict.cause).toBe('not_known');
    expect(verdict.explanation).toMatch(
      /^2\.0 Gbit\/s for 30\.4 s \(30\.3 to 30\.\d s\), then 0\.50 Gbit\/s to the end: the cause is not known \(the instance types are not known, so the 500 Mbit\/s after the fall can't be compared with a baseline\); if the cause is network credits, they covered 45\.\d Gbit above the baseline$/,
    );
    expect(verdict.kind).toBe('drop');
    expect(verdict.witnesses.filter(({ agrees }) => agrees !== null).map(({ name }) => name)).toEqual(['series']);
    expect(verdict.bucketBitsAtLeast).toBeNull();
  });

  test('is more certain when counters and published baseline agree', () => {
    const allowance = growth('bwOutAllowanceExceeded', 'client', 30);
    const verdict = judge({ allowance, sender: bursting, receiver: bursting });
    expect(witness(verdict, 'ena_allowance_counters')!.agrees).toBe(true);
    expect(witness(verdict, 'published_bandwidth')!.agrees).toBe(true);
    expect(verdict.confidence).toBeGreaterThanOrEqual(confidenceOf(judge({})));
  });

  test('reads the receiver as the server’s inbound counter, and in reverse the other way round', () => {
    const inbound = growth('bwInAllowanceExceeded', 'server', 30);
    expect(witness(judge({ allowance: inbound }), 'ena_allowance_counters')!.agrees).toBe(true);
    // In reverse the server sends: its inbound counter is none of this direction's business.
    const reverse = judge({ direction: 'reverse', allowance: inbound });
    expect(witness(reverse, 'ena_allowance_counters')!.agrees).toBeNull();
  });

  test('is not one of network credits when the counters of both ends stay at zero', () => {
    const allowance = [
      ...growth('bwOutAllowanceExceeded', 'client', Infinity),
      ...growth('bwInAllowanceExceeded', 'server', Infinity),
    ];
    const verdict = judge({ allowance, sender: bursting });
    expect(verdict).toMatchObject({ cause: 'not_known', bucket: null, holdTimes: [], ifNetworkCredits: null });
    expect(verdict.explanation).toContain('the bandwidth counters were read and did not grow after the fall');
  });

  test('is neutral to counters that grow all the time', () => {
    const verdict = judge({ allowance: growth('bwOutAllowanceExceeded', 'client', 0) });
    expect(witness(verdict, 'ena_allowance_counters')!.agrees).toBeNull();
  });

  test('is not one of network credits when the rate after the fall is no published baseline', () => {
    const verdict = judge({ sender: facts('c5.large', 0.25, 2), receiver: facts('c5.18xlarge', 2.5, 2.5) });
    expect(verdict).toMatchObject({ cause: 'not_known', bucket: null, holdTimes: [], ifNetworkCredits: null });
    expect(verdict.explanation).toContain('the 500 Mbit/s after the fall is not a published baseline of either host');
  });

  test('accepts the baseline of either end', () => {
    const verdict = judge({ sender: facts('c5.18xlarge', 2.5, 2.5), receiver: bursting });
    expect(witness(verdict, 'published_bandwidth')).toMatchObject({ agrees: true });
    expect(witness(verdict, 'published_bandwidth')!.detail).toContain('receiver (c5.xlarge)');
  });

  test('of a rate that scatters names its figure as the median, which is not the mean of the tables', () => {
    const series = stretches(
      ...Array.from({ length: 120 }, (_, second) => [1, second % 3 === 0 ? 0.4 * GIGA : GIGA] as const),
    );
    const { kind, explanation } = judge({ series });
    expect(kind).toBe('noisy');
    expect(explanation).toBe('a median of 1.00 Gbit/s for 120.0 s, with strong scatter and no lasting drop');
  });

  test('has witnesses that speak in sentences: what was found, and what that means', () => {
    const allowance = growth('bwOutAllowanceExceeded', 'client', 30);
    const verdict = judge({ allowance, sender: bursting, cpu: { senderPercent: 40, receiverPercent: 55 } });
    expect(verdict.witnesses.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        /^\d+ samples, scattered by \d+\.\d %, show a rate that falls once and stays low; the fall is between 30\.\d s and 30\.\d s$/,
      ),
      expect.stringMatching(
        /^because of its bandwidth allowance, the sender queued or dropped 0\.0 packets per second before the fall and \d+\.\d after it, so the network began to limit the rate there$/,
      ),
      'the rate of 500 Mbit/s after the fall is near the baseline of 500 Mbit/s that EC2 publishes for the sender (c5.xlarge)',
      "the sender's (c5.xlarge) credits ran out, because its counters began to grow when the rate fell, and the measured baseline is the one published for this host",
      'the tool reports no retransmits',
      'the tool used 40 % of a core at the sender and 55 % at the receiver',
    ]);
  });

  test('of a truncated series is the same, with less confidence', () => {
    const verdict = judge({ series: throttledSeries.slice(0, 55), sender: bursting, truncated: true });
    expect(verdict.kind).toBe('drop');
    expect(verdict.confidence).toBeLessThan(confidenceOf(judge({ sender: bursting })));
    expect(verdict.explanation).toContain('the measurement ended early');
  });
});

describe('the verdict on a level rate', () => {
  const level = (giga: number, seconds = 60) => stretches([seconds, giga * GIGA]);

  test('of a type that sustains its peak is steady', () => {
    const sustained = facts('c5.9xlarge', 1.2, 1.2);
    const verdict = judge({ series: level(1.16), sender: sustained, receiver: sustained, flowCount: 8 });
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast).toBeNull();
    expect(witness(verdict, 'published_bandwidth')!.agrees).toBe(true);
    expect(verdict.explanation).toBe('1.16 Gbit/s for 60.0 s without a drop');
  });

  test('without published figures is steady', () => {
    expect(judge({ series: level(1), sender: facts('m4.xlarge'), receiver: facts('m4.xlarge') }).kind).toBe('steady');
  });

  test('above a published baseline is censored, not "no throttle"', () => {
    const verdict = judge({ series: level(2), sender: bursting, receiver: bursting });
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast).toBeGreaterThan(0);
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucket).toBeNull();
    expect(verdict.bucketBitsAtLeast! / GIGA).toBeCloseTo(90, 0);
    expect(verdict.explanation).toContain('hold at least 90.0 Gbit');
  });

  test('at 5 Gbit/s of one flow has the cause single_flow_cap, with a lower bound of the bucket', () => {
    const fast = facts('c5n.large', 3, 25);
    const verdict = judge({
      series: level(4.95),
      sender: fast,
      receiver: fast,
      flowCount: 1,
      singleFlowCap: flowCapBetweenHosts(),
    });
    expect(verdict.cause).toBe('single_flow_cap');
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast).toBeGreaterThan(0);
    expect(verdict.explanation).toContain('a single flow is capped at 5.0 Gbit/s outside a cluster placement group');
  });

  test('with a saturated core has the cause cpu', () => {
    const fast = facts('c5n.18xlarge', 100, 100);
    const verdict = judge({
      series: level(22),
      sender: fast,
      receiver: fast,
      flowCount: 1,
      cpu: { senderPercent: 99.7 },
    });
    expect(verdict.cause).toBe('cpu');
    expect(verdict.explanation).toContain('the tool used 100 % of a core on the sender');
  });

  test("at the receiver's published baseline has the cause published_bandwidth", () => {
    const verdict = judge({
      series: level(1.17),
      sender: facts('c5.18xlarge', 2.5, 2.5),
      receiver: facts('c5.9xlarge', 1.2, 1.2),
    });
    expect(verdict.cause).toBe('published_bandwidth');
    expect(verdict.explanation).toContain('the receiver (c5.9xlarge) sustains 1.2 Gbit/s');
  });
});

test.each([1.8, 3])('a shift to %s Gbit/s is no fall, which would have a cause', (giga) => {
  expect(judge({ series: stretches([60, 2 * GIGA], [60, giga * GIGA]) })).toMatchObject({ kind: 'shift', cause: null });
});

describe('the verdict on half a minute', () => {
  const half = stretches([30, 1.17 * GIGA]);
  const sustained = facts('c5.9xlarge', 1.2, 1.2);

  test('of a type that sustains its peak is steady, though the series alone is too short', () => {
    const verdict = judge({ series: half, sender: sustained, receiver: sustained });
    expect(verdict).toMatchObject({ kind: 'steady', cause: null });
    expect(verdict.confidence).toBeLessThan(0.9);
  });

  test('above a published baseline is censored', () => {
    const verdict = judge({ series: half, sender: bursting, receiver: bursting });
    expect(verdict).toMatchObject({ kind: 'steady', cause: null });
    expect(verdict.bucketBitsAtLeast! / GIGA).toBeCloseTo(20.1, 0);
  });

  test('at the rate that the tool was asked for is steady', () => {
    expect(judge({ series: half, targetBitsPerSecond: 1.17 * GIGA }).kind).toBe('steady');
  });

  test('that scatters stays insufficient', () => {
    const series = stretchesWith(0.1, [30, 1.17 * GIGA]);
    expect(judge({ series, sender: sustained, receiver: sustained }).kind).toBe('insufficient');
  });

  test('without published figures stays insufficient', () => {
    expect(judge({ series: half }).kind).toBe('insufficient');
  });

  test('has a confidence only where it claims something', () => {
    const known = { sender: sustained, receiver: sustained };
    expect(judge({ series: half }).confidence).toBeNull();
    expect(judge({ series: half, ...known }).confidence).toBeGreaterThan(0.5);
  });

  test('with a fall at its end stays insufficient', () => {
    const cut = stretches([26, 1.17 * GIGA], [4, 0.2 * GIGA]);
    expect(judge({ series: cut, sender: bursting, receiver: bursting }).kind).toBe('insufficient');
  });
});

describe('the verdict on too few samples', () => {
  test('is insufficient, with a sentence', () => {
    const verdict = judge({ series: stretches([9, GIGA]), truncated: true });
    expect(verdict.kind).toBe('insufficient');
    expect(verdict.explanation).toBe(
      '9 samples over 9.0 s show no clear fall; at least 45 are needed to tell a steady rate from one that falls ' +
        'later; the measurement ended early',
    );
  });

  test('of no samples is no traffic', () => {
    expect(judge({ series: [], truncated: true }).explanation).toBe(
      'no traffic was measured; the measurement ended early',
    );
  });

  test('has null for every number', () => {
    const verdict = judge({ series: [] });
    expect(verdict).toMatchObject({
      onset: null,
      burst: null,
      baseline: null,
      bucket: null,
      bucketBitsAtLeast: null,
    });
  });
});

describe('the sentence', () => {
  test.each([
    ['down', 2, 0.5],
    ['up', 0.5, 2],
  ])('on a slope %s has the rates of its ends', (_, fromGiga, toGiga) => {
    const steps = Array.from({ length: 200 }, (_step, second): [number, number] => [
      1,
      (fromGiga + ((toGiga - fromGiga) * second) / 199) * GIGA,
    ]);
    const { kind, causes, explanation } = judge({ series: stretches(...steps) });
    expect([kind, causes]).toEqual(['ramp', []]);
    const rates = [...explanation.matchAll(/([\d.]+) Gbit/g)].map(([, rate]) => Number(rate));
    expect(Math.abs(rates[0]! - fromGiga)).toBeLessThan(0.1);
    expect(Math.abs(rates[1]! - toGiga)).toBeLessThan(0.1);
  });

  test('says that traffic ended before the series did', () => {
    const { explanation } = judge({ series: stretches([100, 2 * GIGA], [50, 0]) });
    expect(explanation).toBe('2.0 Gbit/s for 100.0 s without a drop; then no traffic for 50.0 s');
  });
});
