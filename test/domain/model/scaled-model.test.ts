import { isPlainlyScaled, scaledModelInWords, scaledModelOf } from '../../../domain/model/scaled-model';

const TAGS = { ScaledModel: 'lab', RateDivisor: '10', TimeDivisor: '20' };

test('a deployment says by its tags that it is a model, and on what scale', () => {
  expect(scaledModelOf({ Team: 'net' })).toBeUndefined();
  const model = scaledModelOf({ Team: 'net', ...TAGS });
  expect(model).toEqual({ name: 'lab', rateDivisor: 10, timeDivisor: 20 });
  expect(scaledModelInWords(model!)).toContain(
    `Measured in "lab", a scaled model of EC2: its rates are EC2's divided by 10, and credits run out and come back 20 times sooner`,
  );
  expect(scaledModelInWords({ ...model!, timeDivisor: 1 })).toContain('credits last as long as on EC2');
});

test.each(['0', '-1', 'ten', 'Infinity', undefined])('a model without its scale is refused: %j', (RateDivisor) => {
  const tags = { ...TAGS, RateDivisor } as Record<string, string>;
  expect(() => scaledModelOf(tags)).toThrow(
    `tag RateDivisor: must be a number above 0 beside the tag ScaledModel, got ${RateDivisor}`,
  );
});

const onset = { value: 1, low: 1, high: 1 };

test.each([
  ['a fall of credits', { kind: 'drop', cause: 'network_credits', onset }, true],
  ['a level that nothing limits', { kind: 'steady', cause: null, onset: null }, true],
  ['a level that scatters', { kind: 'noisy', cause: null, onset: null }, true],
  ['a level at the cap of a flow', { kind: 'dips', cause: 'single_flow_cap', onset: null }, true],
  ['a level that is published', { kind: 'steady', cause: 'published_bandwidth', onset: null }, true],
  ['a ramp', { kind: 'ramp', cause: null, onset: null }, false],
  ['a fall without a cause', { kind: 'drop', cause: null, onset }, false],
  ['a fall of anything else', { kind: 'drop', cause: 'not_known', onset }, false],
  ['a level at the limit of the processors', { kind: 'steady', cause: 'cpu', onset: null }, false],
  ['an outage', { kind: 'outage', cause: 'outage', onset: null }, false],
] as const)('%s scales plainly: %j is %s', (_, verdict, isPlain) => {
  expect(isPlainlyScaled(verdict)).toBe(isPlain);
});
