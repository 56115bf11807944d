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

interface Expected {
  /** `network_credits` unless given. */
  readonly cause?: Cause;
  readonly throttledBy?: 'sender' | 'receiver';
  /** By witness; what is not given is not asked for. */
  readonly counters?: boolean | null;
  readonly published?: boolean | null;
  readonly peerBucket?: boolean | null;
}

const out = growth('bwOutAllowanceExceeded', 'client', 30);
const inbound = growth('bwInAllowanceExceeded', 'server', 30);
const outSilent = growth('bwOutAllowanceExceeded', 'client', Infinity);
const inSilent = growth('bwInAllowanceExceeded', 'server', Infinity);
const outAlways = growth('bwOutAllowanceExceeded', 'client', 0);
const silent = [...outSilent, ...inSilent];
const once = outSilent.map((each) => ({ ...each, bwOutAllowanceExceeded: each.startSeconds === 70 ? 900 : 0 }));
const ofAcknowledgements = [
  ...growth('bwInAllowanceExceeded', 'client', 30),
  ...growth('bwOutAllowanceExceeded', 'server', 30),
];
const otherBaseline = facts('c5.large', 0.25, 2);
const both = { sender: bursting, receiver: bursting };
const unknown = { cause: 'not_known', counters: null } as const;
const unlike = { cause: 'not_known', published: null } as const;

/** A fall to 0.5 Gbit/s after 30.4 s: the baseline of `bursting`. */
const CASES: readonly (readonly [when: string, known: Partial<ThroughputEvidence>, expected: Expected])[] = [
  ['nothing else is known', {}, { ...unknown, published: null }],
  // Counters alone.
  ["the sender's counter begins", { allowance: out }, { counters: true, throttledBy: 'sender' }],
  ["the receiver's counter begins", { allowance: inbound }, { counters: true, throttledBy: 'receiver' }],
  ["only the sender's begins", { allowance: [...out, ...inSilent] }, { counters: true, throttledBy: 'sender' }],
  ['both counters begin', { allowance: [...out, ...inbound] }, { counters: true, peerBucket: null }],
  ['a counter grows all the time', { allowance: outAlways }, unknown],
  [
    'of two, one grows all along',
    { allowance: [...outAlways, ...inbound] },
    { counters: true, throttledBy: 'receiver' },
  ],
  ['both are silent', { allowance: silent }, unknown],
  ["the sender's is silent and the receiver's was not read", { allowance: outSilent }, unknown],
  ["the sender's is silent, and the receiver has no credits", { allowance: outSilent, receiver: sustained }, unknown],
  ['a counter grew in one second long after the onset', { allowance: once }, unknown],
  [
    'a counter was read after the onset only',
    { allowance: out.filter(({ startSeconds }) => startSeconds > 32) },
    unknown,
  ],
  ['a counter was read before it only', { allowance: out.filter(({ startSeconds }) => startSeconds < 20) }, unknown],
  ['only the counters of the other direction grow', { allowance: ofAcknowledgements }, unknown],
  [
    'the packet-rate allowance ran out instead',
    { allowance: [...silent, ...growth('ppsAllowanceExceeded', 'client', 30)] },
    { cause: 'packet_rate', counters: null },
  ],
  [
    "in reverse, the server's outbound counter begins",
    { direction: 'reverse', allowance: growth('bwOutAllowanceExceeded', 'server', 30) },
    { counters: true, throttledBy: 'sender' },
  ],
  // Published baselines alone.
  ["it is the sender's", { sender: bursting, receiver: sustained }, { published: true, throttledBy: 'sender' }],
  ["it is the receiver's", { sender: sustained, receiver: bursting }, { published: true, throttledBy: 'receiver' }],
  [
    'both have credits, and only one the measured baseline',
    { sender: facts('c5.2xlarge', 1, 2), receiver: bursting },
    { published: true, throttledBy: 'receiver' },
  ],
  ['both ends have the measured baseline', both, { published: true, peerBucket: null }],
  ['no end has the measured baseline', { sender: otherBaseline, receiver: sustained }, unlike],
  ['one has another, and one none', { sender: otherBaseline, receiver: facts('m4.xlarge') }, unlike],
  ['no end has credits', { sender: sustained, receiver: sustained }, unlike],
  [
    'the burst is above what is published as the peak',
    { sender: facts('c5.xlarge', 0.5, 1.2), receiver: sustained },
    { published: false, throttledBy: 'sender' },
  ],
  // Both together.
  [
    'counters and baseline name the same end',
    { allowance: [...out, ...inSilent], sender: bursting, receiver: sustained },
    { counters: true, published: true, peerBucket: true, throttledBy: 'sender' },
  ],
  [
    'counters and baseline name different ends',
    { allowance: [...inbound, ...outSilent], sender: bursting, receiver: sustained },
    { ...unknown, published: null },
  ],
  [
    'the baselines are equal and the counters decide',
    { allowance: [...outSilent, ...inbound], ...both },
    { counters: true, published: true, peerBucket: null, throttledBy: 'receiver' },
  ],
  [
    "the baselines are equal and one end's counter is silent",
    { allowance: outSilent, ...both },
    { counters: null, published: true, throttledBy: 'receiver' },
  ],
  [
    'the baseline matches and all counters are silent',
    { allowance: silent, sender: bursting, receiver: sustained },
    { ...unknown, published: null },
  ],
];

const WITNESSES = {
  counters: 'ena_allowance_counters',
  published: 'published_bandwidth',
  peerBucket: 'peer_bucket',
} as const;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('the witnesses of a throttle, when', () => {
  test.each(CASES)('%s', (_, known, { cause = 'network_credits', throttledBy = null, ...expected }) => {
    const verdict = judge(known);
    // Whatever they say, the numbers show what they show.
    expect(verdict).toMatchObject({ kind: 'drop', cause, throttledBy });
    const said = Object.keys(expected).map((key) => [key, witness(verdict, WITNESSES[key as 'counters'])!.agrees]);
    expect(Object.fromEntries(said)).toEqual(expected);
    // A contradiction lowers the confidence and is in the sentence, agreement does not lower it.
    const alone = confidenceOf(judge({}));
    const contradicting = verdict.witnesses.filter(({ agrees }) => agrees === false);
    if (contradicting.length === 0) expect(verdict.confidence).toBeGreaterThanOrEqual(alone);
    else expect(verdict.confidence).toBeLessThan(0.8 * alone);
    for (const { detail } of contradicting) {
      expect(verdict.explanation).toMatch(new RegExp(`; but .*${escaped(detail)}`));
    }
  });

  test('packets instead of bandwidth were counted, the detail names the counter', () => {
    const allowance = [...silent, ...growth('ppsAllowanceExceeded', 'client', 30)];
    expect(judge({ allowance }).explanation).toContain('the packet-rate allowance of the sender ran out: it held back');
  });

  test('packets were held back for their number at the burst as well, that is the limit', () => {
    const allowance = [...silent, ...growth('ppsAllowanceExceeded', 'client', 0)];
    expect(judge({ allowance }).cause).toBe('packet_rate');
  });

  test('the owner is known, the sentence names it', () => {
    const verdict = judge({ sender: sustained, receiver: bursting });
    expect(verdict.explanation).toContain("the receiver's inbound burst credits (45.");
    expect(judge({ sender: bursting, receiver: bursting }).explanation).toContain(': the burst credits (45.');
  });

  test('it was truncated, the sentence says so', () => {
    const verdict = judge({ series: throttledSeries.slice(0, 55), truncated: true, allowance: out });
    expect(verdict).toMatchObject({ kind: 'drop', throttledBy: 'sender' });
    expect(verdict.bucket!.low).toBeLessThan(verdict.bucket!.value);
    expect(verdict.explanation).toMatch(/; the measurement ended early$/);
    expect(verdict.confidence).toBeLessThan(confidenceOf(judge({ allowance: out })));
  });
});
