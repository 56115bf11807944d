import { bursting, facts, GIGA, judge, throttledSeries, witness, flowCapBetweenHosts } from '../../support/evidence';
import { stretches } from '../../support/rates';

describe('retransmits', () => {
  const each = (before: number, after: number) =>
    throttledSeries.map(({ startSeconds }) => ({ startSeconds, retransmits: startSeconds < 30.4 ? before : after }));

  test.each([
    [
      'more after the onset: a throttle and a loss of packets both do that',
      each(2, 9),
      '2.0 segments per second before the fall and 9.0',
    ],
    ['none at all', each(0, 0), '0.0 segments per second before the fall and 0.0'],
    [
      'known only after the onset',
      each(0, 9).filter(({ startSeconds }) => startSeconds > 40),
      'an unknown number of segments before the fall and 9.0',
    ],
  ])('are neutral, %s', (_, retransmits, words) => {
    const { agrees, detail } = witness(judge({ sender: bursting, retransmits }), 'retransmits')!;
    expect(agrees).toBeNull();
    expect(detail).toContain(words);
  });

  test('do not change the verdict on a level rate', () => {
    const series = stretches([90, 2 * GIGA]);
    expect(judge({ series, retransmits: each(0, 5000) })).toMatchObject({ kind: 'steady', throttledBy: null });
  });
});

describe('CPU and a throttle', () => {
  test.each(['sender', 'receiver'] as const)('a saturated %s contradicts', (end) => {
    const verdict = judge({ sender: bursting, flowCount: 1, cpu: { [`${end}Percent`]: 99 } });
    expect(witness(verdict, 'cpu')!.agrees).toBe(false);
    expect(verdict.explanation).toContain(`but the CPU may be the reason: the tool used 99 % of a core at the ${end}`);
  });

  test('a CPU with some left is neutral', () => {
    const cpu = { senderPercent: 40, receiverPercent: 55 };
    expect(witness(judge({ flowCount: 1, cpu }), 'cpu')).toMatchObject({
      agrees: null,
      detail: 'the tool used 40 % of a core at the sender and 55 % at the receiver',
    });
  });

  test('credits of the CPU are mentioned', () => {
    const sender = { ...facts('t3.large', 0.5, 2), isBurstableCpu: true };
    expect(witness(judge({ cpu: { senderPercent: 40 }, sender }), 'cpu')!.detail).toContain(
      'the sender also runs on CPU credits',
    );
  });
});

describe('a burst at the cap of a single flow', () => {
  const burst = {
    series: stretches([60, 4.96 * GIGA], [120, 0.75 * GIGA]),
    sender: facts('c5.large', 0.75, 10),
    receiver: facts('c5n.18xlarge', 100, 100),
    singleFlowCap: flowCapBetweenHosts(),
  };

  test('is named, and contradicts nothing', () => {
    const verdict = judge({ ...burst, flowCount: 1 });
    expect(verdict.kind).toBe('drop');
    const { agrees, detail } = witness(verdict, 'flow_cap')!;
    expect(agrees).toBeNull();
    expect(detail).toContain('several flows may burst faster');
  });

  test('of several flows is no cap', () => {
    expect(witness(judge({ ...burst, flowCount: 8 }), 'flow_cap')).toBeUndefined();
  });
});
