import { describe, expect, test } from '@jest/globals';
import { checkEligibility, cpuCreditsOf } from '../../../domain/plan/check-eligibility';
import type { Offer } from '../../../domain/plan/offer';
import { pairPlan, type PairPlan } from '../../../domain/plan/schema';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { offeredType, offerOf, subnet } from '../../support/planned-run';

const types = [
  offeredType('c5.xlarge'),
  offeredType('m4.xlarge', { supportsEnaExpress: false }),
  offeredType('t2.medium', { isBurstableCpu: true, architectures: ['i386', 'x86_64'] }),
  offeredType('t1.micro', { architectures: ['i386'] }),
  offeredType('mac2.metal', { architectures: ['arm64_mac'] }),
  offeredType('c7g.large', { architectures: ['arm64'] }),
  offeredType('p5.48xlarge'),
  offeredType('a1.medium', { architectures: ['arm64'], supportsClusterPlacement: false }),
];

const zones = {
  'c5.xlarge': 'abc',
  'm4.xlarge': 'ab',
  't2.medium': 'a',
  't1.micro': 'a',
  'mac2.metal': 'a',
  'c7g.large': 'c',
  'a1.medium': 'a',
};
const offer = offerOf(types, zones, { subnets: new Map() });

function check(pair: Partial<PairPlan>, where: Partial<Offer> = {}) {
  const { problems, candidateSubnets, notApplicable } = checkEligibility({
    pair: pairPlan.parse({ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...pair }),
    index: 0,
    offer: { ...offer, ...where },
  });
  return {
    lines: problems.map(formatPlanProblem),
    zones: candidateSubnets.map(({ client, server }) => `${client.zone.at(-1)}${server.zone.at(-1)}`),
    ...(notApplicable === undefined ? {} : { notApplicable }),
  };
}

describe('where a pair can be launched', () => {
  test('in one zone: every zone that offers both types', () => {
    expect(check({})).toEqual({ lines: [], zones: ['aa', 'bb', 'cc'] });
    expect(check({ serverType: 'm4.xlarge' }).zones).toEqual(['aa', 'bb']);
  });

  test('in two zones: every two zones that offer one type each', () => {
    expect(check({ zoneRelation: 'other_zone', serverType: 'm4.xlarge' }).zones).toEqual(['ab', 'ba', 'ca', 'cb']);
  });

  test('T types outside a cluster group, arm64 types, and types that also support i386 are accepted', () => {
    expect(check({ clientType: 't2.medium' }).zones).toEqual(['aa']);
    expect(check({ clientType: 'c7g.large', serverType: 'c7g.large' }).zones).toEqual(['cc']);
  });
});

describe('a pair that EC2 cannot launch is refused by name, with the reason', () => {
  test.each<[Partial<PairPlan>, string]>([
    [{ clientType: 'c5.huge' }, 'clientType: must be an instance type that EC2 knows in this Region, got "c5.huge"'],
    [
      { serverType: 't1.micro' },
      'serverType: must be a type of architecture x86_64 or arm64 (this one has i386), got "t1.micro"',
    ],
    [
      { serverType: 'mac2.metal' },
      'serverType: must be a type of architecture x86_64 or arm64 (this one has arm64_mac), got "mac2.metal"',
    ],
    [
      { clientType: 'p5.48xlarge' },
      'clientType: must be a type that at least one of this stack\'s zones offers (eu-test-1a, eu-test-1b, eu-test-1c), got "p5.48xlarge"',
    ],
    [
      { clientType: 'm4.xlarge', serverType: 'c7g.large' },
      'zoneRelation: must be the other zone relation, or the pair must have other types, because no zone of this stack offers both types (m4.xlarge is in eu-test-1a, eu-test-1b; c7g.large is in eu-test-1c), got "same_zone"',
    ],
    [
      { clientType: 't2.medium', serverType: 't2.medium', zoneRelation: 'other_zone' },
      `zoneRelation: must be the other zone relation, or the pair must have other types, because this stack has no two different zones that offer the client's type and the server's type (t2.medium is in eu-test-1a), got "other_zone"`,
    ],
    [
      { clientType: 't2.medium', clientCpuCredits: 'unlimited', serverCpuCredits: 'standard' },
      'serverCpuCredits: must be left out, because c5.xlarge has no CPU credits, got "standard"',
    ],
  ])('%j: %s', (pair, line) => {
    expect(check(pair)).toEqual({ lines: [`plan.pairs[0].${line}`], zones: [] });
  });

  test('both types are refused when both are wrong, and one that both hosts have once', () => {
    expect(check({ clientType: 'c5.huge', serverType: 'x9.tiny' }).lines).toHaveLength(2);
    expect(check({ clientType: 'c5.huge', serverType: 'c5.huge' }).lines).toHaveLength(1);
  });
});

describe("a combination that can't be is not applicable, with its reason, and no mistake", () => {
  test.each<[string, Partial<PairPlan>]>([
    ["t2.medium can't be in a cluster placement group", { clientType: 't2.medium', placement: 'cluster' }],
    ["a1.medium can't be in a cluster placement group", { clientType: 'a1.medium', placement: 'cluster' }],
    ["a cluster placement group can't span two zones", { placement: 'cluster', zoneRelation: 'other_zone' }],
    ['m4.xlarge has no ENA Express', { clientType: 'm4.xlarge', enaExpress: 'one_side' }],
    ['m4.xlarge has no ENA Express', { serverType: 'm4.xlarge', enaExpress: 'both' }],
    ['ENA Express for UDP needs ENA Express', { enaExpressUdp: true }],
    ['VPC peering is not part of this deployment (cdk deploy --context peering=true)', { path: 'peering' }],
  ])('%s: %j', (notApplicable, pair) => {
    expect(check(pair)).toEqual({ lines: [], zones: [], notApplicable });
  });

  test('ENA Express on the client alone does not need the server to support it', () => {
    expect(check({ serverType: 'm4.xlarge', enaExpress: 'one_side' })).toEqual({ lines: [], zones: ['aa', 'bb'] });
  });

  describe('ENA Express between places that it does not reach', () => {
    const inZones = (names: readonly string[], pair: Partial<PairPlan>) => {
      const subnets = names.map((zone) => ({ subnetId: `subnet-${zone}`, zone, zoneId: zone, vpcId: 'vpc-hosts' }));
      return check({ enaExpress: 'both', ...pair }, { subnets, zonesOfType: new Map([['c5.xlarge', new Set(names)]]) });
    };
    const acrossZones =
      'ENA Express carries no traffic between zones in São Paulo, Bahrain and the UAE, and none in a Local Zone';

    test.each(['sa-east-1', 'me-south-1', 'me-central-1'])('%s: between zones, but in one zone', (region) => {
      const names = [`${region}a`, `${region}b`];
      const refused = { lines: [], zones: [], notApplicable: acrossZones };
      expect(inZones(names, { zoneRelation: 'other_zone' })).toEqual(refused);
      expect(inZones(names, {}).zones).toEqual(['aa', 'bb']);
      expect(inZones(names, { enaExpress: 'off', zoneRelation: 'other_zone' }).zones).toEqual(['ab', 'ba']);
    });

    test('between the zones of another Region', () => {
      expect(inZones(['eu-west-1a', 'eu-west-1b'], { zoneRelation: 'other_zone' }).zones).toEqual(['ab', 'ba']);
    });

    test('a Local Zone is no place for it while there are others', () => {
      expect(inZones(['us-west-2-lax-1a', 'us-west-2b'], {}).zones).toEqual(['bb']);
      expect(inZones(['us-west-2-lax-1a'], {}).notApplicable).toBe('ENA Express carries no traffic in a Local Zone');
    });
  });

  test('a server of a family that no load balancer registers, by the path nlb and by no other', () => {
    const old = offerOf([...types, offeredType('m3.large')], { 'm3.large': 'a', 'c5.xlarge': 'a' });
    const checkOld = (pair: Partial<PairPlan>) => check(pair, old);
    expect(checkOld({ serverType: 'm3.large', path: 'nlb' })).toEqual({
      lines: [],
      zones: [],
      notApplicable: "a Network Load Balancer can't target m3.large by instance id",
    });
    expect(checkOld({ serverType: 'm3.large' })).toEqual({ lines: [], zones: ['aa'] });
    expect(checkOld({ clientType: 'm3.large', path: 'nlb' })).toEqual({ lines: [], zones: ['aa'] });
  });

  test('over VPC peering the server is in the second network, in the same zone or another', () => {
    const peeredSubnets = [{ ...subnet('a'), subnetId: 'subnet-peered-a', vpcId: 'vpc-peered' }];
    expect(check({ path: 'peering' }, { peeredSubnets })).toEqual({ lines: [], zones: ['aa'] });
    expect(check({ path: 'peering', zoneRelation: 'other_zone' }, { peeredSubnets }).zones).toEqual(['ba', 'ca']);
  });
});

describe('the CPU credits of a pair', () => {
  const burstable = { isBurstableCpu: true };
  const instanceTypes = new Map([
    ...['t2.medium', 't3.micro', 't3a.large', 't4g.small'].map((name) => [name, burstable] as const),
    ['c5.xlarge', { isBurstableCpu: false }] as const,
  ]);
  const creditsOf = (pair: Partial<PairPlan>) =>
    cpuCreditsOf(pairPlan.parse({ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...pair }), instanceTypes);

  test.each([
    ['t2.medium', 'standard'],
    ['t3.micro', 'unlimited'],
    ['t3a.large', 'unlimited'],
    ['t4g.small', 'unlimited'],
    ['c5.xlarge', undefined],
  ])("are EC2's default: %s %s", (serverType, serverCpuCredits) => {
    expect(creditsOf({ serverType })).toEqual({ clientCpuCredits: undefined, serverCpuCredits });
  });

  test('are those of the plan, for each host its own', () => {
    const types = { clientType: 't3.micro', serverType: 't2.medium' };
    const wanted = { clientCpuCredits: 'standard', serverCpuCredits: 'unlimited' } as const;
    expect(creditsOf({ ...types, ...wanted })).toEqual(wanted);
    expect(creditsOf({ ...types, clientCpuCredits: 'standard' }).serverCpuCredits).toBe('standard');
  });
});
