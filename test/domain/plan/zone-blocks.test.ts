import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { groupBy } from '../../../domain/maths/elements';
import type { PairSubnets, PlannedPair } from '../../../domain/model/planned-run';
import { preparePlan } from '../../../domain/plan/prepare-plan';
import { readPlan } from '../../../domain/plan/read-plan';
import { candidatesByRepetition } from '../../../domain/plan/zone-blocks';
import { offeredType, offerOf, subnet } from '../../support/planned-run';

const ENA_EXPRESS_PLAN = JSON.parse(
  readFileSync(join(__dirname, '../../../examples/plans/article-ping-by-placement.json'), 'utf8'),
) as object;

/** Plans as plan-run does, for a stack with a subnet in each of the zones, and the letters of the zones of each type. */
function prepare(submitted: object, zonesOfType: Readonly<Record<string, string>>): readonly PlannedPair[] {
  const letters = ['a', 'b', 'c', 'd'];
  const peered = (letter: string) => ({ ...subnet(letter), subnetId: `subnet-peered-${letter}`, vpcId: 'vpc-peered' });
  const types = Object.keys(zonesOfType).map((name) => offeredType(name));
  const { problems, prepared } = preparePlan(readPlan(submitted), {
    runId: 'run-1',
    vcpuQuotas: {},
    offer: { ...offerOf(types, zonesOfType), subnets: letters.map(subnet), peeredSubnets: letters.map(peered) },
  });
  expect(problems).toEqual([]);
  return prepared!.pairs;
}

const placeOf = ({ client, server }: PairSubnets) => `${client.zone.at(-1)}${server.zone.at(-1)}`;
const startOf = ({ candidateSubnets: [first] }: Pick<PlannedPair, 'candidateSubnets'>) => placeOf(first!);

/** The zones in which the pairs of each repetition start, each place once. */
const startsByRepetition = (pairs: readonly PlannedPair[]) =>
  Object.fromEntries(
    [...groupBy(pairs, ({ repetition }) => repetition)]
      .sort(([one], [other]) => one - other)
      .map(([repetition, ofRepetition]) => [repetition, [...new Set(ofRepetition.map(startOf))].join(' ')]),
  );

const iperf3 = { tool: 'iperf3', durationSeconds: 60 };
const plan = (pairs: readonly object[], others: object = {}) => ({
  name: 'a plan',
  measurements: [iperf3],
  repetitions: 4,
  pairs: pairs.map((pair) => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...pair })),
  ...others,
});

describe('the example plan for ENA Express', () => {
  const pairs = prepare({ ...ENA_EXPRESS_PLAN, repetitions: 3 }, { 'm6i.8xlarge': 'abcd' });

  test.each(['same_zone', 'other_zone'])(
    'measures ENA Express on, off and on one side in the same subnets within each repetition: %s',
    (zoneRelation) => {
      const related = pairs.filter((pair) => pair.zoneRelation === zoneRelation);
      const conditions = new Set(related.map(({ enaExpress, placement }) => `${enaExpress} ${placement}`));
      const starts = [...groupBy(related, ({ repetition }) => repetition).values()].map(
        (ofRepetition) => new Set(ofRepetition.map(({ candidateSubnets: [first] }) => JSON.stringify(first))),
      );

      expect(conditions.size).toBe(zoneRelation === 'same_zone' ? 6 : 3);
      expect(starts.map(({ size }) => size)).toEqual([1, 1, 1]);
      expect(new Set(starts.flatMap((places) => [...places])).size).toBe(3);
    },
  );

  test('also if its pairs are measured in the order in which they are written', () => {
    const written = prepare({ ...ENA_EXPRESS_PLAN, repetitions: 3, order: 'as_written' }, { 'm6i.8xlarge': 'abcd' });

    expect(startsByRepetition(written)).toEqual({ 1: 'aa ab', 2: 'bb ac', 3: 'cc ad' });
  });
});

describe('the blocks of a plan', () => {
  test('all fresh pairs of a repetition start in the same zone, also several of one pair of the plan', () => {
    const measurements = [iperf3, { ...iperf3, parallelStreams: 8 }];
    const pairs = prepare(plan([{}, { enaExpress: 'both' }], { measurements }), { 'c5.xlarge': 'abc' });

    expect(pairs).toHaveLength(16);
    expect(startsByRepetition(pairs)).toEqual({ 1: 'aa', 2: 'bb', 3: 'cc', 4: 'aa' });
  });

  test('types that are not offered in every zone: the zones that all of them have', () => {
    const types = { clientType: 'm5.large', serverType: 'm5.large' };
    const pairs = prepare(plan([{}, types, { serverType: 'r5.large' }]), {
      'c5.xlarge': 'abcd',
      'm5.large': 'bd',
      'r5.large': 'abd',
    });

    expect(startsByRepetition(pairs)).toEqual({ 1: 'bb', 2: 'dd', 3: 'bb', 4: 'dd' });
    // Each pair keeps all zones of its types to fall back on.
    expect(pairs.find(({ planPairIndex }) => planPairIndex === 0)!.candidateSubnets).toHaveLength(4);
  });

  test('types without a zone in common: those that most of them have, and a block of their own for the rest', () => {
    const typed = (type: string) => ({ clientType: type, serverType: type });
    const pairs = prepare(plan([typed('m5.large'), {}, { enaExpress: 'both' }]), {
      'c5.xlarge': 'bc',
      'm5.large': 'ad',
    });
    const [lone, ...others] = [0, 1, 2].map((index) => pairs.filter(({ planPairIndex }) => planPairIndex === index));

    expect(startsByRepetition(lone!)).toEqual({ 1: 'aa', 2: 'dd', 3: 'aa', 4: 'dd' });
    for (const pair of others) expect(startsByRepetition(pair)).toEqual({ 1: 'bb', 2: 'cc', 3: 'bb', 4: 'cc' });
  });

  test('the path peering starts in the same zones as the others, and in the same subnets at the client', () => {
    const pairs = prepare(plan([{}, { path: 'peering' }, { path: 'public' }, { path: 'nlb' }]), {
      'c5.xlarge': 'abc',
    });

    expect(startsByRepetition(pairs)).toEqual({ 1: 'aa', 2: 'bb', 3: 'cc', 4: 'aa' });
    expect(new Set(pairs.map(({ candidateSubnets: [first] }) => first!.client.subnetId)).size).toBe(3);
  });

  test('a pair that cannot be measured has no part in it', () => {
    const unmeasured = { zoneRelation: 'other_zone', placement: 'cluster' };
    const pairs = prepare(plan([unmeasured, {}]), { 'c5.xlarge': 'abc' });

    expect(pairs.find(({ planPairIndex }) => planPairIndex === 0)!.candidateSubnets).toEqual([]);
    const starts = startsByRepetition(pairs.filter(({ planPairIndex }) => planPairIndex === 1));
    expect(starts).toEqual({ 1: 'aa', 2: 'bb', 3: 'cc', 4: 'aa' });
  });
});

describe('pairs whose places the plan names', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => ({ client: subnet(letter), server: subnet(letter) }));
  const inZone = (letter: string) => ({ client: { zoneId: subnet(letter).zoneId }, server: undefined });
  const unnamed = { client: undefined, server: undefined };

  test('do not decide where the others start', () => {
    const [pinned, free, alsoFree] = candidatesByRepetition([
      { pair: inZone('b'), candidateSubnets: [b!] },
      { pair: unnamed, candidateSubnets: [a!, b!, c!] },
      { pair: unnamed, candidateSubnets: [a!, b!, c!] },
    ]);

    expect([1, 2, 3].map((repetition) => placeOf(pinned!(repetition)[0]!))).toEqual(['bb', 'bb', 'bb']);
    for (const candidates of [free!, alsoFree!]) {
      expect([1, 2, 3].map((repetition) => placeOf(candidates(repetition)[0]!))).toEqual(['aa', 'bb', 'cc']);
    }
  });

  test('share what is left open with those that name the same place', () => {
    const open = ['b', 'c'].map((letter) => ({ client: subnet('a'), server: subnet(letter) }));
    const alike = { pair: inZone('a'), candidateSubnets: open };
    const [one, other] = candidatesByRepetition([alike, { ...alike, candidateSubnets: [...open].reverse() }]);

    for (const repetition of [1, 2, 3]) {
      expect(one!(repetition)[0]).toEqual(other!(repetition)[0]);
      expect(one!(repetition)).toHaveLength(2);
    }
    expect(one!(1)[0]).not.toEqual(one!(2)[0]);
  });
});
