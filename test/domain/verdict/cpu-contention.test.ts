/** Whether other work kept a host's processors busy while it measured, and what a verdict makes of it. */
import { contentionInBrief } from '../../../domain/model/contended';
import { cpuContention, type HostProcessors } from '../../../domain/verdict/causes/cpu';
import { judgePackets } from '../../../domain/verdict/judge-packets';
import { bursting, judge, throttledSeries, witness } from '../../support/evidence';
import { stretches } from '../../support/rates';

/** Two processors, of which the tool uses a fifth of one, on a machine that does nothing else. */
const idle: HostProcessors = {
  hostRole: 'client',
  processorCount: 2,
  userPercent: 5,
  systemPercent: 15,
  waitingPercent: 3,
  pressurePercent: 12,
  stealPercent: 2,
  mayLackCpuCredits: false,
};

test('a host with processors enough is not mentioned', () => {
  expect(cpuContention([idle, { ...idle, hostRole: 'server' }])).toBeUndefined();
});

test.each([
  ['the tool waits', { waitingPercent: 15 }, { waitingPercent: 14.9 }],
  ['anything waits', { pressurePercent: 90 }, { pressurePercent: 89.9 }],
  ['the hypervisor withholds', { stealPercent: 20 }, { stealPercent: 19.9 }],
] as const)('%s for as long as the threshold says', (_, busy, quiet) => {
  expect(cpuContention([{ ...idle, ...busy }])).toContain('other work kept the processors of the client busy');
  expect(cpuContention([{ ...idle, ...quiet }])).toBeUndefined();
});

test('is said without the figures where a line has no room for them', () => {
  const words = cpuContention([{ ...idle, waitingPercent: 31.4 }]);
  expect(contentionInBrief(words!)).toBe('other work kept the processors of the client busy');
});

test('says which figures show it', () => {
  const busy = { ...idle, waitingPercent: 31.4, pressurePercent: 99.6, stealPercent: 26.5 };
  expect(cpuContention([idle, { ...busy, hostRole: 'server' }])).toBe(
    'other work kept the processors of the server busy, and the figures may show that instead of the network ' +
      '(the tool waited for a processor 31 % of the time, at least one program waited for a processor 100 % of the time, the hypervisor withheld 27 % of a processor)',
  );
  expect(cpuContention([busy, { hostRole: 'server', ...ownOf(busy), pressurePercent: 95 }])).toBe(
    'other work kept the processors of both hosts busy, and the figures may show that instead of the network ' +
      '(client: the tool waited for a processor 31 % of the time, at least one program waited for a processor 100 % of the time, the hypervisor withheld 27 % of a processor; ' +
      'server: at least one program waited for a processor 95 % of the time)',
  );
});

test.each([
  [99.4, '99 % of a processor'],
  [131, 'the time of 1.3 processors'],
])('steal of %d %% of one processor, of all of them together, is %s', (stealPercent, words) => {
  expect(cpuContention([{ ...idle, stealPercent }])).toMatch(`the hypervisor withheld ${words})`);
});

/** What a kernel tells that counts neither waiting nor steal. */
function ownOf({ processorCount, userPercent, systemPercent, mayLackCpuCredits }: HostProcessors) {
  return { processorCount, userPercent, systemPercent, mayLackCpuCredits };
}

test('a tool that uses half of all processors competes with itself', () => {
  const busy = { ...idle, waitingPercent: 60, pressurePercent: 99 };
  expect(cpuContention([{ ...busy, userPercent: 20, systemPercent: 80 }])).toBeUndefined();
  expect(cpuContention([{ ...busy, userPercent: 20, systemPercent: 79 }])).toBeDefined();
  expect(cpuContention([{ ...busy, userPercent: 20, systemPercent: 80, processorCount: 4 }])).toBeDefined();
});

test('nothing is said of a host whose own load is unknown', () => {
  const busy = { ...idle, waitingPercent: 60, pressurePercent: 99 };
  expect(cpuContention([{ ...busy, userPercent: undefined }])).toBeUndefined();
  expect(cpuContention([{ ...busy, processorCount: undefined }])).toBeUndefined();
  expect(cpuContention([{ hostRole: 'client', mayLackCpuCredits: false, pressurePercent: 100 }])).toBeUndefined();
});

test('the steal of a host that may be out of CPU credits is theirs', () => {
  const refused = { ...idle, stealPercent: 180, mayLackCpuCredits: true };
  expect(cpuContention([refused])).toBeUndefined();
  expect(cpuContention([{ ...refused, pressurePercent: 97 }])).toMatch(
    /at least one program waited for a processor 97 % of the time\)$/,
  );
});

describe('in a verdict', () => {
  const busy = 'other work kept the processors of the client busy';
  /** Every other second at half the rate. */
  const scattered = stretches(
    ...Array.from({ length: 120 }, (_, second) => [1, second % 2 === 0 ? 1e9 : 4e8] as const),
  );

  test('is the first thing said of a rate that scatters, and doubts it', () => {
    const [with_, without] = [busy, undefined].map((cpuContention) => judge({ series: scattered, cpuContention }));
    expect(without).toMatchObject({ kind: 'noisy' });
    expect(with_).toMatchObject({ kind: 'noisy', explanation: `${busy}; ${without!.explanation}` });
    expect(witness(with_!, 'cpu_contention')).toEqual({ name: 'cpu_contention', agrees: false, detail: busy });
    expect(witness(without!, 'cpu_contention')).toBeUndefined();
    expect(with_!.confidence).toBeLessThan(without!.confidence!);
  });

  test('is neutral about a fall that lasts, which a busy host does not make', () => {
    const evidence = { series: throttledSeries, sender: bursting, receiver: bursting };
    const [with_, without] = [busy, undefined].map((cpuContention) => judge({ ...evidence, cpuContention }));
    expect(with_!.explanation).toBe(`${without!.explanation}; ${busy}`);
    expect(witness(with_!, 'cpu_contention')!.agrees).toBeNull();
    expect(with_!.confidence).toBe(without!.confidence);
  });

  test('on packets is the first thing, too', () => {
    const series = scattered.map(({ bitsPerSecond, ...each }) => ({ ...each, packetsPerSecond: bitsPerSecond / 1e4 }));
    const [with_, without] = [busy, undefined].map((cpuContention) =>
      judgePackets({ direction: 'forward', series, truncated: false, cpuContention }),
    );
    expect(with_!.explanation).toBe(`${busy}; ${without!.explanation}`);
    expect(with_!.witnesses).toContainEqual({ name: 'cpu_contention', agrees: false, detail: busy });
  });
});
