/** What a plan says about single hosts: subnets, zones, images and public addresses, and why it is refused. */
import { describe, expect, test } from '@jest/globals';
import { checkAddresses } from '../../../domain/plan/prepare-plan';
import { checkEligibility } from '../../../domain/plan/check-eligibility';
import { checkPath, plannedHosts } from '../../../domain/plan/check-hosts';
import type { HostFacts, ImageLack, NamedImage, NamedSubnet } from '../../../domain/plan/offer';
import { readPlan } from '../../../domain/plan/read-plan';
import { pairPlan } from '../../../domain/plan/schema';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { offeredType, offerOf, subnet } from '../../support/planned-run';

/** In zones `eu-test-1a` to `c`, whose ids are `eut1-az3` to `az1`: the stack's subnets, and those of three VPCs. */
const NAMED = {
  a: 'subnet-0000000a',
  b: 'subnet-0000000b',
  full: 'subnet-000000ff',
  pending: 'subnet-00000bad',
  foreign: 'subnet-0000000f',
  other: 'subnet-0000000e',
  unknown: 'subnet-00000000',
};

const named = (subnetId: string, letter: string, facts: Partial<NamedSubnet> = {}): [string, NamedSubnet] => [
  subnetId,
  { ...subnet(letter), subnetId, vpcId: 'vpc-user', state: 'available', availableAddressCount: 250, ...facts },
];

const image = (imageId: string, facts: Partial<NamedImage> = {}): [string, NamedImage] => [
  imageId,
  {
    imageId,
    name: 'tools',
    architecture: 'x86_64',
    state: 'available',
    isWindows: false,
    rootDeviceName: '/dev/xvda',
    rootVolumeGibibytes: 8,
    ...facts,
  },
];

const hosts: HostFacts = {
  region: 'eu-test-1',
  hostVpcs: ['vpc-user'],
  hasPublicAddresses: true,
  imageParameters: ['/network-benchmark/images/*'],
  subnets: new Map([
    named(NAMED.a, 'a'),
    named(NAMED.b, 'b'),
    named(NAMED.full, 'a', { availableAddressCount: 3 }),
    named(NAMED.pending, 'a', { state: 'pending' }),
    named(NAMED.foreign, 'a', { vpcId: 'vpc-foreign' }),
    named(NAMED.other, 'a', { vpcId: 'vpc-another' }),
  ]),
  images: new Map<string, NamedImage | ImageLack>([
    image('ami-00000001'),
    image('ami-000000a4', { architecture: 'arm64' }),
    image('ami-00000bad', { state: 'pending' }),
    image('ami-0000d05d', { isWindows: true }),
    image('ami-00000d15', { rootVolumeGibibytes: undefined }),
    ['ami-00000000', 'no_such_image'],
    ['/aws/service/none/such', 'no_such_parameter'],
    ['/own/secret', 'forbidden_parameter'],
    ['/network-benchmark/images/text', 'no_image_id'],
  ]),
};

const offer = offerOf(
  [offeredType('c5.xlarge'), offeredType('m4.xlarge'), offeredType('c7g.large', { architectures: ['arm64'] })],
  { 'c5.xlarge': 'abc', 'm4.xlarge': 'a', 'c7g.large': 'ab' },
  hosts,
);

const pairOf = (fields: object) => pairPlan.parse({ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...fields });
const linesOf = (fields: object, changes: Partial<HostFacts> = {}) => {
  const pair = pairOf(fields);
  const changed = { ...offer, hosts: { ...hosts, ...changes } };
  return [...checkPath(pair, 0), ...checkEligibility({ pair, index: 0, offer: changed }).problems].map(
    formatPlanProblem,
  );
};
const candidatesOf = (fields: object) => {
  const { candidateSubnets, zoneRelation, problems } = checkEligibility({ pair: pairOf(fields), index: 0, offer });
  expect(problems).toEqual([]);
  return [zoneRelation, ...candidateSubnets.map(({ client, server }) => `${client.subnetId} ${server.subnetId}`)];
};

describe('where pinned hosts are launched', () => {
  test('in the named subnets, and the zone relation is that of their zones', () => {
    const [client, server] = [{ subnetId: NAMED.a }, { subnetId: NAMED.b }];
    expect(pairOf({ client, server })).toMatchObject({ path: 'own', zoneRelation: undefined });
    expect(candidatesOf({ client, server })).toEqual(['other_zone', `${NAMED.a} ${NAMED.b}`]);
    expect(candidatesOf({ client, server: client, path: 'own' })).toEqual(['same_zone', `${NAMED.a} ${NAMED.a}`]);
    const { candidateSubnets } = checkEligibility({ pair: pairOf({ client, server }), index: 0, offer });
    expect(candidateSubnets[0]!.client).toEqual({ ...subnet('a'), subnetId: NAMED.a, vpcId: 'vpc-user' });
  });

  test('with one named subnet, the other host goes into those of the stack that the zone relation allows', () => {
    const client = { subnetId: NAMED.b };
    expect(candidatesOf({ client })).toEqual(['same_zone', `${NAMED.b} subnet-b`]);
    expect(candidatesOf({ client, zoneRelation: 'other_zone' })).toEqual([
      'other_zone',
      `${NAMED.b} subnet-a`,
      `${NAMED.b} subnet-c`,
    ]);
  });

  test("in the stack's subnet of the zone that a zone id names, whatever its name is in this account", () => {
    const [az3, az2] = [{ zoneId: 'eut1-az3' }, { zoneId: 'eut1-az2' }];
    expect(pairOf({ client: az3 })).toMatchObject({ path: 'private', zoneRelation: 'same_zone' });
    expect(candidatesOf({ client: az3 })).toEqual(['same_zone', 'subnet-a subnet-a']);
    expect(candidatesOf({ client: az3, server: az2 })).toEqual(['other_zone', 'subnet-a subnet-b']);
    expect(candidatesOf({ client: { ...az3, subnetId: NAMED.a } })).toEqual(['same_zone', `${NAMED.a} subnet-a`]);
  });

  test("a subnet of the stack's own VPC needs no permission, and neither does any where any is allowed", () => {
    const own = new Map([named(NAMED.other, 'a', { vpcId: 'vpc-hosts' })]);
    const client = { subnetId: NAMED.other };
    expect(linesOf({ client }, { hostVpcs: [], subnets: own })).toEqual([]);
    expect(linesOf({ client }, { hostVpcs: 'any' })).toEqual([]);
  });
});

describe('a host that cannot be is refused by its path, with what there is', () => {
  const [a, b] = [{ subnetId: NAMED.a }, { subnetId: NAMED.b }];

  test.each<[object, string]>([
    [
      { client: { subnetId: NAMED.unknown } },
      'client.subnetId: must be a subnet of this account in eu-test-1, got "subnet-00000000"',
    ],
    [
      { client: { subnetId: NAMED.pending } },
      'client.subnetId: must be a subnet whose state is available (this one\'s is pending), got "subnet-00000bad"',
    ],
    [
      { server: { subnetId: NAMED.foreign } },
      'server.subnetId: must be a subnet of a VPC that this stack may use (to allow vpc-foreign, run ' +
        'npx cdk deploy -c hostVpcs=vpc-user,vpc-another,vpc-foreign and repeat every other -c of the deployment), ' +
        'got "subnet-0000000f"',
    ],
    [
      { client: a, server: b, zoneRelation: 'same_zone' },
      'zoneRelation: must be left out or other_zone, because the client is in eut1-az3 (eu-test-1a) and ' +
        'the server in eut1-az2 (eu-test-1b), got "same_zone"',
    ],
    [
      { client: { zoneId: 'eut1-az3' }, server: { zoneId: 'eut1-az3' }, zoneRelation: 'other_zone' },
      'zoneRelation: must be left out or same_zone, because the client is in eut1-az3 (eu-test-1a) and ' +
        'the server in eut1-az3 (eu-test-1a), got "other_zone"',
    ],
    [
      { client: a, server: b, placement: 'cluster' },
      'placement: must be none, spread or partition, because the client is in eut1-az3 (eu-test-1a) ' +
        'and the server in eut1-az2 (eu-test-1b), got "cluster"',
    ],
    [
      { client: { zoneId: 'eut1-az7' } },
      'client.zoneId: must be the id of a zone that this stack has a subnet in: eut1-az1, eut1-az2, ' +
        'eut1-az3, got "eut1-az7"',
    ],
    [
      { client: { subnetId: NAMED.a, zoneId: 'eut1-az1' } },
      `client.zoneId: must be left out or eut1-az3, which is the zone of ${NAMED.a}, got "eut1-az1"`,
    ],
    [
      { serverType: 'm4.xlarge', client: a, server: b },
      'server.subnetId: must be a subnet in a zone that offers m4.xlarge (m4.xlarge is offered in eu-test-1a, and ' +
        'this is eu-test-1b), got "subnet-0000000b"',
    ],
    [
      { serverType: 'm4.xlarge', client: b },
      'zoneRelation: must be the other zone relation, or the pair must have other types, because this stack has no subnet in eut1-az2 ' +
        '(eu-test-1b), the zone of the client, that offers m4.xlarge for the server (c5.xlarge is in eu-test-1a, ' +
        'eu-test-1b, eu-test-1c; m4.xlarge is in eu-test-1a), got "same_zone"',
    ],
    [
      { client: a, path: 'public' },
      'path: must be left out or own, because the pair names client.subnetId, got "public"',
    ],
    [
      { client: a, server: a, path: 'public' },
      'path: must be left out or own, because the pair names client.subnetId and server.subnetId, got "public"',
    ],
    [
      { client: { zoneId: 'eut1-az3' }, path: 'own' },
      'path: must be another path, because own is the route between subnets that the pair names, and this pair names no subnet ' +
        '(client.subnetId, server.subnetId), got "own"',
    ],
    [
      { path: 'public', server: { publicAddress: false } },
      'server.publicAddress: must be true or left out, because the path is public, got false',
    ],
    [
      { client: { imageId: 'ami-00000000' } },
      'client.imageId: must be an image in eu-test-1 that this account may launch, got "ami-00000000"',
    ],
    [
      { server: { imageId: 'ami-000000a4' } },
      'server.imageId: must be an image for x86_64, the architecture of c5.xlarge (ami-000000a4 is ' +
        'for arm64), got "ami-000000a4"',
    ],
    [
      { serverType: 'c7g.large', server: { imageId: 'ami-00000001' } },
      'server.imageId: must be an image for arm64, the architecture of c7g.large (ami-00000001 is ' +
        'for x86_64), got "ami-00000001"',
    ],
    [
      { client: { imageId: 'ami-00000bad' } },
      'client.imageId: must be an image that is available (ami-00000bad is pending), got "ami-00000bad"',
    ],
    [
      { client: { imageId: 'ami-0000d05d' } },
      'client.imageId: must be a Linux image (ami-0000d05d is a Windows image), got "ami-0000d05d"',
    ],
    [
      { client: { imageId: 'ami-00000d15' } },
      'client.imageId: must be an image whose root device is an EBS volume (the root device of ami-00000d15 is ' +
        'not), got "ami-00000d15"',
    ],
    [
      { client: { imageId: '/aws/service/none/such' } },
      'client.imageId: must be an SSM parameter that exists in eu-test-1, got "/aws/service/none/such"',
    ],
    [
      { client: { imageId: '/own/secret' } },
      'client.imageId: must be the id of an image, or an SSM parameter under /aws/service/* or ' +
        '/network-benchmark/images/* (npx cdk deploy -c imageParameters=… allows others), got "/own/secret"',
    ],
    [
      { client: { imageId: '/network-benchmark/images/text' } },
      'client.imageId: must be an SSM parameter whose value is the id of an image (ami-…), got ' +
        '"/network-benchmark/images/text"',
    ],
  ])('%j: %s', (fields, line) => {
    expect(linesOf(fields)).toEqual([`plan.pairs[0].${line}`]);
  });

  test('path public, where hosts of the stack have no public address', () => {
    const lines = linesOf({ path: 'public' }, { hasPublicAddresses: false });
    expect(lines).toEqual([
      'plan.pairs[0].path: must be another path, because hosts of this stack get a public address only if the plan ' +
        'asks for it (client.publicAddress and server.publicAddress: true), got "public"',
    ]);
    const both = { client: { publicAddress: true }, server: { publicAddress: true } };
    expect(linesOf({ path: 'public', ...both }, { hasPublicAddresses: false })).toEqual([]);
  });

  test('everything that is wrong with both hosts at once', () => {
    const client = { subnetId: NAMED.unknown, imageId: 'ami-000000a4' };
    const server = { subnetId: NAMED.foreign, zoneId: 'eut1-az1', imageId: '/own/secret' };
    expect(linesOf({ client, server, path: 'nlb' }).map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'plan.pairs[0].path',
      'plan.pairs[0].client.subnetId',
      'plan.pairs[0].server.subnetId',
      'plan.pairs[0].server.zoneId',
      'plan.pairs[0].client.imageId',
      'plan.pairs[0].server.imageId',
    ]);
  });
});

describe('the addresses that are left in a named subnet', () => {
  const problemsOf = (pairs: object[], others: object = {}) => {
    const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
    const read = readPlan({
      name: 'test',
      pairs: pairs.map((pair) => ({ ...types, ...pair })),
      measurements: [{ tool: 'sockperf', durationSeconds: 10 }],
      concurrency: 2,
      ...others,
    });
    expect(read.problems).toEqual([]);
    return checkAddresses(read, hosts.subnets?.values() ?? [], new Map()).map(formatPlanProblem);
  };
  const [full, a] = [{ subnetId: NAMED.full }, { subnetId: NAMED.a }];
  const refused = (role: string, needed: number) =>
    `plan.pairs[0].${role}.subnetId: must be a subnet with at least ${needed} free addresses, one for each host that can be in ` +
    `it at the same time (this one has 3), got "subnet-000000ff"`;

  const [one, both] = [
    { client: full, server: a },
    { client: full, server: full },
  ];

  test('must do for the pairs that run at the same time, and for no more', () => {
    expect(problemsOf([one], { repetitions: 50 })).toEqual([]);
    expect(problemsOf([one], { repetitions: 50, concurrency: 4 })).toEqual([refused('client', 4)]);
    expect(problemsOf([one], { repetitions: 3, concurrency: 40 })).toEqual([]);
  });

  test('count twice for a pair that has both hosts there, and are reported where the subnet is named first', () => {
    const first = { client: a, server: full };
    expect(problemsOf([both])).toEqual([]);
    expect(problemsOf([first, both, both])).toEqual([refused('server', 4)]);
    expect(problemsOf([first, both])).toEqual([]);
  });
});

test('a planned host has its public address and image, resolved', () => {
  const pair = pairOf({ client: { imageId: 'ami-00000001', publicAddress: false } });
  expect(plannedHosts(pair, hosts)).toEqual({
    client: {
      publicAddress: false,
      image: { imageId: 'ami-00000001', rootDeviceName: '/dev/xvda', rootVolumeGibibytes: 8, name: 'tools' },
    },
    server: { publicAddress: true },
  });
  expect(plannedHosts(pairOf({}), { ...hosts, hasPublicAddresses: false }).server).toEqual({ publicAddress: false });
});
