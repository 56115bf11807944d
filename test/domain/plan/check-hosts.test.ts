/** What a plan says about single hosts: subnets, zones, images and public addresses, and why it is refused. */
import { describe, expect, test } from '@jest/globals';
import { checkAddresses } from '../../../domain/plan/prepare-plan';
import { checkEligibility } from '../../../domain/plan/check-eligibility';
import { checkPath, plannedHosts } from '../../../domain/plan/check-hosts';
import type { HostFacts, NamedImage, NamedSubnet, Offer } from '../../../domain/plan/offer';
import { readPlan } from '../../../domain/plan/read-plan';
import { pairPlan } from '../../../domain/plan/schema';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { subnet } from '../../support/planned-run';

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

const image = (imageId: string, facts: Partial<NamedImage> = {}): NamedImage => ({
  imageId,
  name: 'tools',
  architecture: 'x86_64',
  state: 'available',
  isWindows: false,
  rootDeviceName: '/dev/xvda',
  rootVolumeGibibytes: 8,
  ...facts,
});

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
  images: new Map<string, NamedImage | 'no_such_image' | 'no_such_parameter' | 'forbidden_parameter' | 'no_image_id'>([
    ['ami-00000001', image('ami-00000001')],
    ['ami-000000a4', image('ami-000000a4', { architecture: 'arm64' })],
    ['ami-00000bad', image('ami-00000bad', { state: 'pending' })],
    ['ami-0000d05d', image('ami-0000d05d', { isWindows: true })],
    ['ami-00000d15', image('ami-00000d15', { rootVolumeGibibytes: undefined })],
    ['ami-00000000', 'no_such_image'],
    ['/aws/service/none/such', 'no_such_parameter'],
    ['/own/secret', 'forbidden_parameter'],
    ['/network-benchmark/images/text', 'no_image_id'],
  ]),
};

const type = (instanceType: string, architecture: string) => ({
  instanceType,
  architectures: [architecture],
  vcpuCount: 4,
  isBurstableCpu: false,
  supportsClusterPlacement: true,
  supportsEnaExpress: true,
});
const zones = (...letters: string[]) => new Set(letters.map((letter) => `eu-test-1${letter}`));

const offer: Offer = {
  subnets: [subnet('a'), subnet('b'), subnet('c')],
  peeredSubnets: [],
  instanceTypes: new Map([
    ['c5.xlarge', type('c5.xlarge', 'x86_64')],
    ['m4.xlarge', type('m4.xlarge', 'x86_64')],
    ['c7g.large', type('c7g.large', 'arm64')],
  ]),
  zonesOfType: new Map([
    ['c5.xlarge', zones('a', 'b', 'c')],
    ['m4.xlarge', zones('a')],
    ['c7g.large', zones('a', 'b')],
  ]),
  hosts,
};

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

  test.each<[string, object, string]>([
    [
      'a subnet that does not exist, or is of another Region',
      { client: { subnetId: NAMED.unknown } },
      'plan.pairs[0].client.subnetId: must be a subnet of this account in eu-test-1, got "subnet-00000000"',
    ],
    [
      'a subnet that is not there yet',
      { client: { subnetId: NAMED.pending } },
      'plan.pairs[0].client.subnetId: must be a subnet whose state is available (this one\'s is pending), got "subnet-00000bad"',
    ],
    [
      'a subnet in a VPC that is not allowed, with the command that allows all that the plan needs',
      { server: { subnetId: NAMED.foreign } },
      'plan.pairs[0].server.subnetId: must be a subnet of a VPC that this stack may use (vpc-foreign is not one: allow it ' +
        'by npx cdk deploy -c hostVpcs=vpc-user,vpc-another,vpc-foreign with every other -c of the deployment ' +
        'repeated), got "subnet-0000000f"',
    ],
    [
      'two subnets that contradict the zone relation',
      { client: a, server: b, zoneRelation: 'same_zone' },
      'plan.pairs[0].zoneRelation: must be left out or other_zone, because the client is in eut1-az3 (eu-test-1a) and ' +
        'the server in eut1-az2 (eu-test-1b), got "same_zone"',
    ],
    [
      'two zone ids that contradict it',
      { client: { zoneId: 'eut1-az3' }, server: { zoneId: 'eut1-az3' }, zoneRelation: 'other_zone' },
      'plan.pairs[0].zoneRelation: must be left out or same_zone, because the client is in eut1-az3 (eu-test-1a) and ' +
        'the server in eut1-az3 (eu-test-1a), got "other_zone"',
    ],
    [
      'a cluster group over two zones',
      { client: a, server: b, placement: 'cluster' },
      'plan.pairs[0].placement: must be none, spread or partition, because the client is in eut1-az3 (eu-test-1a) ' +
        'and the server in eut1-az2 (eu-test-1b), got "cluster"',
    ],
    [
      'a zone id that the stack has no subnet in',
      { client: { zoneId: 'eut1-az7' } },
      'plan.pairs[0].client.zoneId: must be the id of a zone that this stack has a subnet in: eut1-az1, eut1-az2, ' +
        'eut1-az3, got "eut1-az7"',
    ],
    [
      'a zone id that is not that of the subnet',
      { client: { subnetId: NAMED.a, zoneId: 'eut1-az1' } },
      `plan.pairs[0].client.zoneId: must be left out or eut1-az3, which is the zone of ${NAMED.a}, got "eut1-az1"`,
    ],
    [
      'a subnet in a zone that lacks the type',
      { serverType: 'm4.xlarge', client: a, server: b },
      'plan.pairs[0].server.subnetId: must be one in a zone that offers m4.xlarge (m4.xlarge is in eu-test-1a, this ' +
        'is eu-test-1b), got "subnet-0000000b"',
    ],
    [
      'a zone without room for the other host',
      { serverType: 'm4.xlarge', client: b },
      'plan.pairs[0].zoneRelation: must be another relation, or the pair must have other types, because no subnet of this stack is in eut1-az2 ' +
        '(eu-test-1b), the zone of the client, and offers m4.xlarge for the server (c5.xlarge is in eu-test-1a, ' +
        'eu-test-1b, eu-test-1c; m4.xlarge is in eu-test-1a), got "same_zone"',
    ],
    [
      'another path beside a subnet',
      { client: a, path: 'public' },
      'plan.pairs[0].path: must be left out or own, because the pair names client.subnetId, got "public"',
    ],
    [
      'another path beside two subnets',
      { client: a, server: a, path: 'public' },
      'plan.pairs[0].path: must be left out or own, because the pair names client.subnetId and server.subnetId, got "public"',
    ],
    [
      'the path own without a subnet',
      { client: { zoneId: 'eut1-az3' }, path: 'own' },
      'plan.pairs[0].path: must be another path, because own is the route between subnets and the pair names none ' +
        '(client.subnetId, server.subnetId), got "own"',
    ],
    [
      'no public address on the path that needs it',
      { path: 'public', server: { publicAddress: false } },
      'plan.pairs[0].server.publicAddress: must be true or left out, because the path is public, got false',
    ],
    [
      'an image that is not there',
      { client: { imageId: 'ami-00000000' } },
      'plan.pairs[0].client.imageId: must be an image in eu-test-1 that this account may launch, got "ami-00000000"',
    ],
    [
      'an image of another architecture',
      { server: { imageId: 'ami-000000a4' } },
      'plan.pairs[0].server.imageId: must be an image of architecture x86_64, which c5.xlarge boots (ami-000000a4 is ' +
        'of arm64), got "ami-000000a4"',
    ],
    [
      'an image of another architecture, the type being of arm64',
      { serverType: 'c7g.large', server: { imageId: 'ami-00000001' } },
      'plan.pairs[0].server.imageId: must be an image of architecture arm64, which c7g.large boots (ami-00000001 is ' +
        'of x86_64), got "ami-00000001"',
    ],
    [
      'an image that is not ready',
      { client: { imageId: 'ami-00000bad' } },
      'plan.pairs[0].client.imageId: must be an image that is available (ami-00000bad is pending), got "ami-00000bad"',
    ],
    [
      'an image of Windows',
      { client: { imageId: 'ami-0000d05d' } },
      'plan.pairs[0].client.imageId: must be an image of Linux (ami-0000d05d is of Windows), got "ami-0000d05d"',
    ],
    [
      'an image without a volume',
      { client: { imageId: 'ami-00000d15' } },
      'plan.pairs[0].client.imageId: must be an image whose root device is an EBS volume (that of ami-00000d15 is ' +
        'none), got "ami-00000d15"',
    ],
    [
      'a parameter that is not there',
      { client: { imageId: '/aws/service/none/such' } },
      'plan.pairs[0].client.imageId: must be an SSM parameter that exists in eu-test-1, got "/aws/service/none/such"',
    ],
    [
      'a parameter that is not allowed',
      { client: { imageId: '/own/secret' } },
      'plan.pairs[0].client.imageId: must be the id of an image, or an SSM parameter under /aws/service/* or ' +
        '/network-benchmark/images/* (npx cdk deploy -c imageParameters=… allows others), got "/own/secret"',
    ],
    [
      'a parameter that names no image',
      { client: { imageId: '/network-benchmark/images/text' } },
      'plan.pairs[0].client.imageId: must be an SSM parameter whose value is the id of an image (ami-…), got ' +
        '"/network-benchmark/images/text"',
    ],
  ])('%s', (_, fields, line) => {
    expect(linesOf(fields)).toEqual([line]);
  });

  test('path public, where hosts of the stack have no public address', () => {
    const lines = linesOf({ path: 'public' }, { hasPublicAddresses: false });
    expect(lines).toEqual([
      'plan.pairs[0].path: must be another path, because hosts of this stack have no public address unless the plan says ' +
        'so (client.publicAddress and server.publicAddress, true), got "public"',
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

  test('must do for the pairs that run at the same time, and for no more', () => {
    expect(problemsOf([{ client: full, server: a }], { repetitions: 50 })).toEqual([]);
    expect(problemsOf([{ client: full, server: a }], { repetitions: 50, concurrency: 4 })).toEqual([
      refused('client', 4),
    ]);
    expect(problemsOf([{ client: full, server: a }], { repetitions: 3, concurrency: 40 })).toEqual([]);
  });

  test('count twice for a pair that has both hosts there, and are reported where the subnet is named first', () => {
    expect(problemsOf([{ client: full, server: full }])).toEqual([]);
    expect(
      problemsOf([
        { client: a, server: full },
        { client: full, server: full },
        { client: full, server: full },
      ]),
    ).toEqual([refused('server', 4)]);
    expect(
      problemsOf([
        { client: a, server: full },
        { client: full, server: full },
      ]),
    ).toEqual([]);
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
