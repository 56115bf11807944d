/** A host that ran out of CPU credits: its steal is the witness, and network credits are not blamed for its rate. */
import type { InstanceTypeFacts } from '../../../domain/model/instance-type';
import type { ProcessorTime, ThroughputEvidence } from '../../../domain/verdict/evidence';
import { confidenceOf, facts, GIGA, growth, judge, throttledSeries, witness } from '../../support/evidence';
import { stretches } from '../../support/rates';

const burstable: InstanceTypeFacts = { ...facts('t3.micro', 0.5, 2), isBurstableCpu: true };
const SECONDS = 90;

/** Second by second. */
function steal(percentAt: (second: number) => number, end: ProcessorTime['end'] = 'sender'): ProcessorTime[] {
  return Array.from({ length: SECONDS }, (_, second) => ({
    end,
    startSeconds: second,
    lengthSeconds: 1,
    percent: percentAt(second),
  }));
}

const standard = { sender: burstable, receiver: burstable, cpuCredits: { sender: 'standard', receiver: 'standard' } };
const judgeBurstable = (evidence: Partial<ThroughputEvidence>) =>
  judge({ ...(standard as Partial<ThroughputEvidence>), ...evidence });

/** They begin when the rate falls, after 30.4 s. */
const fromTheDrop = steal((second) => (second < 30 ? 1 : 84));

describe('a fall of the rate with steal', () => {
  test('is said first, and is no throttle by network credits', () => {
    const verdict = judgeBurstable({ steal: fromTheDrop });
    expect(verdict.explanation).toMatch(
      /^the sender \(t3\.micro\) was out of CPU credits from 30\.0 s on: it was refused 84 % of a core \(steal\); 2\.0 Gbit\/s for 30\.4 s .*: the CPU explains the drop, and nothing shows that network credits ran out/,
    );
    expect(verdict.explanation).not.toContain('burst credits');
    expect(verdict).toMatchObject({
      kind: 'drop',
      cause: 'cpu_credits',
      throttledBy: null,
      throttledBucket: null,
      bucket: null,
      refill: null,
      holdTimes: [],
    });
    expect(verdict.burst!.value).toBeCloseTo(2 * GIGA, -8);
    expect(verdict.baseline!.value).toBeCloseTo(0.5 * GIGA, -8);
    expect(witness(verdict, 'cpu_credits')!.agrees).toBe(true);
    expect(witness(verdict, 'peer_bucket')).toBeUndefined();
  });

  test('of the receiver names the receiver', () => {
    const verdict = judgeBurstable({ steal: steal(() => 60, 'receiver') });
    expect(verdict.explanation).toMatch(/^the receiver \(t3\.micro\) was out of CPU credits from the start: /);
  });

  test('leaves network credits that the counters of ENA show, with less confidence', () => {
    const allowance = growth('bwOutAllowanceExceeded', 'client', 30);
    const [both, networkAlone] = [fromTheDrop, undefined].map((each) => judgeBurstable({ allowance, steal: each }));
    expect(networkAlone).toMatchObject({ kind: 'drop', throttledBy: 'sender' });
    expect(both).toMatchObject({ kind: 'drop', throttledBy: 'sender' });
    expect(both!.explanation).toMatch(/^the sender \(t3\.micro\) was out of CPU credits .*; 2\.0 Gbit\/s for 30\.4 s/);
    expect(both!.explanation).not.toContain('but cpu_credits');
    expect(confidenceOf(both!)).toBeLessThan(0.7 * confidenceOf(networkAlone!));
  });

  test('at the end of the runs of a duty cycle is found on the axis of its load', () => {
    const dutyCycle = { onSeconds: 10, offSeconds: 5 };
    const series = Array.from({ length: 120 }, (_, second) => ({
      startSeconds: 15 * Math.floor(second / 10) + (second % 10),
      lengthSeconds: 1,
      bitsPerSecond: (second < 40 ? 2 : 0.5) * GIGA,
    }));
    const held = Array.from({ length: 180 }, (_, second) => ({
      end: 'sender' as const,
      startSeconds: second,
      lengthSeconds: 1,
      // Only under load: there is nothing to do in the pauses.
      percent: second >= 60 && second % 15 < 10 ? 84 : 0,
    }));
    expect(judgeBurstable({ series, dutyCycle, steal: held }).explanation).toMatch(
      /^the sender \(t3\.micro\) was out of CPU credits from 40\.0 s on: it was refused 84 %/,
    );
  });
});

describe('a fall of the rate is one by network credits', () => {
  test.each<[string, Partial<ThroughputEvidence>]>([
    ['where there is hardly any steal', { steal: steal(() => 2) }],
    ['where the steal ended with the fall', { steal: steal((second) => (second < 30 ? 84 : 3)) }],
    ['of a type without CPU credits', { sender: facts('c5.xlarge', 0.5, 2), steal: fromTheDrop }],
    [
      'of a host with unlimited ones',
      { cpuCredits: { sender: 'unlimited', receiver: 'standard' }, steal: fromTheDrop },
    ],
  ])('%s', (_, evidence) => {
    const verdict = judgeBurstable(evidence);
    expect(verdict.kind).toBe('drop');
    expect(verdict.explanation).toMatch(/^2\.0 Gbit\/s for 30\.4 s .* burst credits .* ran out/);
    expect(witness(verdict, 'cpu_credits')).toBeUndefined();
    expect(verdict.bucket).not.toBeNull();
  });

  test('on which CPU credits cast a doubt only where the steal is unknown', () => {
    const detail = (evidence: Partial<ThroughputEvidence>) =>
      witness(judgeBurstable({ cpu: { senderPercent: 40 }, ...evidence }), 'cpu')!.detail;
    const doubt = 'the sender also runs on CPU credits';
    expect(detail({})).toContain(doubt);
    const both = [...steal(() => 2), ...steal(() => 2, 'receiver')];
    expect(detail({ steal: both })).not.toContain('CPU credits');
    expect(detail({ cpuCredits: { sender: 'unlimited', receiver: 'unlimited' } })).not.toContain('CPU credits');
  });
});

describe('a fall of a type without CPU credits, from 2.0 to 0.5 Gbit/s,', () => {
  const unlimited = facts('c5n.18xlarge', 100, 100);
  const isAfter = (second: number) => second >= 30.4;
  const sentAgain = throttledSeries.map(({ startSeconds }) => ({
    startSeconds,
    retransmits: isAfter(startSeconds) ? 9000 : 0,
  }));
  test.each<[string, Partial<ThroughputEvidence>, string]>([
    ['with 90 % of a processor withheld', { steal: steal((second) => (isAfter(second) ? 90 : 1)) }, 'shown'],
    [
      'with 40 % withheld, too little for the fall',
      { steal: steal((second) => (isAfter(second) ? 40 : 1)) },
      'possible',
    ],
    ['with 90 % withheld before it, too', { steal: steal(() => 90) }, 'ruled_out'],
    [
      'with 90 % waited for at the receiver',
      { waiting: steal((second) => (isAfter(second) ? 90 : 1), 'receiver') },
      'shown',
    ],
    [
      'with 90 % withheld, and segments that are lost on the way',
      { steal: steal((second) => (isAfter(second) ? 90 : 1)), retransmits: sentAgain },
      'possible',
    ],
  ])('%s', (_, evidence, standing) => {
    const cpu = { senderPercent: 40, receiverPercent: 40 };
    const verdict = judge({ sender: unlimited, receiver: unlimited, cpu, ...evidence });
    expect(verdict.causes.find(({ cause }) => cause === 'cpu')!.standing).toBe(standing);
    expect(verdict.cause === 'cpu').toBe(standing === 'shown');
  });
});

describe('a level rate with steal', () => {
  const series = stretches([SECONDS, 0.3 * GIGA]);

  test('is that of the CPU, and this is said first', () => {
    const verdict = judgeBurstable({
      series,
      steal: steal(() => 178),
      cpu: { senderPercent: 20, receiverPercent: 15 },
    });
    expect(verdict.cause).toBe('cpu_credits');
    expect(verdict.explanation).toMatch(
      /^the sender \(t3\.micro\) was out of CPU credits from the start: it was refused 178 % of a core \(steal\); 0\.30 Gbit\/s for 90\.0 s without a drop: without CPU credits, the sender has only a part of its CPU/,
    );
    expect(witness(verdict, 'cpu_credits')!.agrees).toBe(true);
    expect(witness(verdict, 'cpu')).toMatchObject({
      agrees: null,
      detail: 'the tool used 20 % of a core at the sender and 15 % at the receiver',
    });
  });

  test('that reaches what was offered is not limited', () => {
    const verdict = judgeBurstable({ series, steal: steal(() => 84), targetBitsPerSecond: 0.3 * GIGA });
    expect(verdict.kind).toBe('steady');
    expect(verdict.explanation).toMatch(/^the sender \(t3\.micro\) was out of CPU credits from the start/);
  });

  test('without steal stays what it was', () => {
    const [read, unread] = [steal(() => 1), undefined].map((each) => judgeBurstable({ series, steal: each }));
    expect(read!.kind).toBe(unread!.kind);
    expect(read!.explanation).toBe(unread!.explanation);
  });
});

test('the series of these tests throttles where nothing is known besides', () => {
  expect(judge({ series: throttledSeries }).kind).toBe('drop');
});
