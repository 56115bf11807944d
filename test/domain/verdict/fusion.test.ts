import type { Cause } from '../../../domain/model/verdict';
import type { ThroughputEvidence } from '../../../domain/verdict/evidence';
import {
  bursting,
  confidenceOf,
  facts,
  growth,
  judge,
  sustained,
  throttledSeries,
  witness,
} from '../../support/evidence';

type Agrees = boolean | null;
interface Case {
  readonly when: string;
  readonly known: Partial<ThroughputEvidence>;
  /** `network_credits` unless given. */
  readonly cause?: Cause;
  readonly counters?: Agrees;
  readonly published?: Agrees;
  readonly peerBucket?: Agrees;
  readonly throttledBy: 'sender' | 'receiver' | null;
}

const outAtOnset = growth('bwOutAllowanceExceeded', 'client', 30);
const inAtOnset = growth('bwInAllowanceExceeded', 'server', 30);
const outSilent = growth('bwOutAllowanceExceeded', 'client', Infinity);
const inSilent = growth('bwInAllowanceExceeded', 'server', Infinity);
const outAlways = growth('bwOutAllowanceExceeded', 'client', 0);
const otherBaseline = facts('c5.large', 0.25, 2);

/** A fall to 0.5 Gbit/s after 30.4 s: the baseline of `bursting`. */
const CASES: readonly Case[] = [
  {
    when: 'nothing else is known',
    cause: 'not_known',
    known: {},
    counters: null,
    published: null,
    throttledBy: null,
  },
  // Counters alone.
  { when: "the sender's counter begins", known: { allowance: outAtOnset }, counters: true, throttledBy: 'sender' },
  { when: "the receiver's counter begins", known: { allowance: inAtOnset }, counters: true, throttledBy: 'receiver' },
  {
    when: "the sender's counter begins, the receiver's is silent",
    known: { allowance: [...outAtOnset, ...inSilent] },
    counters: true,
    throttledBy: 'sender',
  },
  {
    when: 'both counters begin',
    known: { allowance: [...outAtOnset, ...inAtOnset] },
    counters: true,
    peerBucket: null,
    throttledBy: null,
  },
  {
    when: 'a counter grows all the time',
    cause: 'not_known',
    known: { allowance: outAlways },
    counters: null,
    throttledBy: null,
  },
  {
    when: "the sender's counter grows all the time, the receiver's begins",
    known: { allowance: [...outAlways, ...inAtOnset] },
    counters: true,
    throttledBy: 'receiver',
  },
  {
    when: 'both are silent',
    cause: 'not_known',
    known: { allowance: [...outSilent, ...inSilent] },
    counters: null,
    throttledBy: null,
  },
  {
    when: "the sender's is silent and the receiver's was not read",
    cause: 'not_known',
    known: { allowance: outSilent },
    counters: null,
    throttledBy: null,
  },
  {
    when: "the sender's is silent, and the receiver has no credits",
    cause: 'not_known',
    known: { allowance: outSilent, receiver: sustained },
    counters: null,
    throttledBy: null,
  },
  {
    when: 'a counter grew in one second long after the onset',
    cause: 'not_known',
    known: {
      allowance: outSilent.map((sample) => ({
        ...sample,
        bwOutAllowanceExceeded: sample.startSeconds === 70 ? 900 : 0,
      })),
    },
    counters: null,
    throttledBy: null,
  },
  {
    when: 'a counter was read after the onset only',
    cause: 'not_known',
    known: { allowance: outAtOnset.filter(({ startSeconds }) => startSeconds > 32) },
    counters: null,
    throttledBy: null,
  },
  {
    when: 'a counter was read before the onset only',
    cause: 'not_known',
    known: { allowance: outAtOnset.filter(({ startSeconds }) => startSeconds < 20) },
    counters: null,
    throttledBy: null,
  },
  {
    when: 'only the counters of the other direction grow',
    cause: 'not_known',
    known: {
      allowance: [...growth('bwInAllowanceExceeded', 'client', 30), ...growth('bwOutAllowanceExceeded', 'server', 30)],
    },
    counters: null,
    throttledBy: null,
  },
  {
    when: 'the packet-rate allowance ran out instead',
    cause: 'packet_rate',
    known: { allowance: [...outSilent, ...inSilent, ...growth('ppsAllowanceExceeded', 'client', 30)] },
    counters: null,
    throttledBy: null,
  },
  {
    when: "in reverse, the server's outbound counter begins",
    known: { direction: 'reverse', allowance: growth('bwOutAllowanceExceeded', 'server', 30) },
    counters: true,
    throttledBy: 'sender',
  },
  // Published baselines alone.
  {
    when: "the sender's baseline is the measured one",
    known: { sender: bursting, receiver: sustained },
    published: true,
    throttledBy: 'sender',
  },
  {
    when: "the receiver's baseline is the measured one",
    known: { sender: sustained, receiver: bursting },
    published: true,
    throttledBy: 'receiver',
  },
  {
    when: 'both have credits, and only one the measured baseline',
    known: { sender: facts('c5.2xlarge', 1, 2), receiver: bursting },
    published: true,
    throttledBy: 'receiver',
  },
  {
    when: 'both ends have the measured baseline',
    known: { sender: bursting, receiver: bursting },
    published: true,
    peerBucket: null,
    throttledBy: null,
  },
  {
    when: 'no end has the measured baseline',
    cause: 'not_known',
    known: { sender: otherBaseline, receiver: sustained },
    published: null,
    throttledBy: null,
  },
  {
    when: 'the sender has another baseline, and none is published for the receiver',
    cause: 'not_known',
    known: { sender: otherBaseline, receiver: facts('m4.xlarge') },
    published: null,
    throttledBy: null,
  },
  {
    when: 'no end has credits',
    cause: 'not_known',
    known: { sender: sustained, receiver: sustained },
    published: null,
    throttledBy: null,
  },
  {
    when: 'the burst is above what is published as the peak',
    known: { sender: facts('c5.xlarge', 0.5, 1.2), receiver: sustained },
    published: false,
    throttledBy: 'sender',
  },
  // Both together.
  {
    when: 'counters and baseline name the same end',
    known: { allowance: [...outAtOnset, ...inSilent], sender: bursting, receiver: sustained },
    counters: true,
    published: true,
    peerBucket: true,
    throttledBy: 'sender',
  },
  {
    when: 'counters and baseline name different ends',
    cause: 'not_known',
    known: { allowance: [...inAtOnset, ...outSilent], sender: bursting, receiver: sustained },
    counters: null,
    published: null,
    throttledBy: null,
  },
  {
    when: 'the baselines are equal and the counters decide',
    known: { allowance: [...outSilent, ...inAtOnset], sender: bursting, receiver: bursting },
    counters: true,
    published: true,
    peerBucket: null,
    throttledBy: 'receiver',
  },
  {
    when: "the baselines are equal and one end's counter is silent",
    known: { allowance: outSilent, sender: bursting, receiver: bursting },
    counters: null,
    published: true,
    throttledBy: 'receiver',
  },
  {
    when: 'the baseline matches and all counters are silent',
    cause: 'not_known',
    known: { allowance: [...outSilent, ...inSilent], sender: bursting, receiver: sustained },
    counters: null,
    published: null,
    throttledBy: null,
  },
];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('the witnesses of a throttle, when', () => {
  test.each(CASES)('$when', ({ known, cause = 'network_credits', throttledBy, ...expected }) => {
    const verdict = judge(known);
    // Whatever they say, the numbers show what they show.
    expect(verdict).toMatchObject({ kind: 'drop', cause, throttledBy });
    const names: Readonly<Record<string, string>> = {
      counters: 'ena_allowance_counters',
      published: 'published_bandwidth',
      peerBucket: 'peer_bucket',
    };
    for (const [key, agrees] of Object.entries(expected)) {
      const name = names[key];
      if (name !== undefined) expect({ [name]: witness(verdict, name)!.agrees }).toEqual({ [name]: agrees });
    }
  });

  test.each(CASES)(
    '$when: a contradiction lowers the confidence and is in the sentence, agreement does not lower it',
    ({ known }) => {
      const alone = confidenceOf(judge({}));
      const verdict = judge(known);
      const contradicting = verdict.witnesses.filter(({ agrees }) => agrees === false);
      if (contradicting.length === 0) expect(verdict.confidence).toBeGreaterThanOrEqual(alone);
      else expect(verdict.confidence).toBeLessThan(0.8 * alone);
      for (const { detail } of contradicting)
        expect(verdict.explanation).toMatch(new RegExp(`; but .*${escaped(detail)}`));
    },
  );

  test('packets instead of bandwidth were counted, the detail names the counter', () => {
    const allowance = [...outSilent, ...inSilent, ...growth('ppsAllowanceExceeded', 'client', 30)];
    expect(judge({ allowance }).explanation).toContain('the packet-rate allowance of the sender ran out: it held back');
  });

  test('packets were held back for their number at the burst as well, that is the limit', () => {
    const allowance = [...outSilent, ...inSilent, ...growth('ppsAllowanceExceeded', 'client', 0)];
    expect(judge({ allowance }).cause).toBe('packet_rate');
  });

  test('the owner is known, the sentence names it', () => {
    const verdict = judge({ sender: sustained, receiver: bursting });
    expect(verdict.explanation).toContain("the receiver's inbound burst credits (45.");
    expect(judge({ sender: bursting, receiver: bursting }).explanation).toContain(': the burst credits (45.');
  });

  test('it was truncated, the sentence says so', () => {
    const verdict = judge({ series: throttledSeries.slice(0, 55), truncated: true, allowance: outAtOnset });
    expect(verdict).toMatchObject({ kind: 'drop', throttledBy: 'sender' });
    expect(verdict.bucket!.low).toBeLessThan(verdict.bucket!.value);
    expect(verdict.explanation).toMatch(/; the measurement ended early$/);
    expect(verdict.confidence).toBeLessThan(confidenceOf(judge({ allowance: outAtOnset })));
  });
});
