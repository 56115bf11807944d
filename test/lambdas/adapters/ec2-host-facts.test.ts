/** What EC2 is asked about the subnets and images that a plan names, and how its answers are read. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type * as Endpoints from '../../../lambdas/adapters/ec2-catalogue';
import type * as Ssm from '../../../lambdas/adapters/ssm';
import { AwsEndpoint } from '../../support/aws-endpoint';

const aws = new AwsEndpoint();
let adapter: typeof Endpoints & typeof Ssm;

beforeAll(async () => {
  await aws.start();
  adapter = {
    ...(await import('../../../lambdas/adapters/ec2-catalogue')),
    ...(await import('../../../lambdas/adapters/ssm')),
  };
});
beforeEach(() => {
  aws.requests.length = 0;
});
afterAll(() => aws.stop());

const asked = () => aws.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
const answerItems = (action: string, set: string, items: string) => {
  const body = `<${action}Response><${set}>${items}</${set}></${action}Response>`;
  aws.answer = () => ({ status: 200, body });
};

test('subnets are asked for with a filter, which leaves out the unknown ones', async () => {
  answerItems(
    'DescribeSubnets',
    'subnetSet',
    `<item><subnetId>subnet-0000000a</subnetId><vpcId>vpc-1</vpcId><state>available</state>
     <availabilityZone>eu-test-1a</availabilityZone><availabilityZoneId>eut1-az3</availabilityZoneId>
     <availableIpAddressCount>0</availableIpAddressCount></item>`,
  );

  expect(await adapter.findSubnets(['subnet-0000000a', 'subnet-00000000'])).toEqual([
    {
      subnetId: 'subnet-0000000a',
      zone: 'eu-test-1a',
      zoneId: 'eut1-az3',
      vpcId: 'vpc-1',
      state: 'available',
      availableAddressCount: 0,
    },
  ]);
  expect(asked()).toEqual([
    expect.objectContaining({
      Action: 'DescribeSubnets',
      'Filter.1.Name': 'subnet-id',
      'Filter.1.Value.1': 'subnet-0000000a',
      'Filter.1.Value.2': 'subnet-00000000',
    }),
  ]);
});

test('no more than 200 ids go into one call', async () => {
  answerItems('DescribeSubnets', 'subnetSet', '');
  await adapter.findSubnets(Array.from({ length: 201 }, (_, index) => `subnet-${index}`));
  expect(asked()).toHaveLength(2);
});

const imageItem = (rest: string) =>
  `<item><imageId>ami-00000001</imageId><name>tools</name><architecture>arm64</architecture>
   <imageState>available</imageState><rootDeviceName>/dev/xvda</rootDeviceName>${rest}</item>`;

test("images are asked for with a filter, deprecated ones too, and have their root volume's size", async () => {
  const volumes = ['/dev/sdb 100', '/dev/xvda 30'].map((volume) => volume.split(' '));
  const mappings = volumes.map(
    ([name, size]) => `<item><deviceName>${name}</deviceName><ebs><volumeSize>${size}</volumeSize></ebs></item>`,
  );
  answerItems(
    'DescribeImages',
    'imagesSet',
    imageItem(`<blockDeviceMapping>${mappings.join('')}</blockDeviceMapping>`),
  );

  expect(await adapter.findImages(['ami-00000001', 'ami-00000000'])).toEqual([
    {
      imageId: 'ami-00000001',
      name: 'tools',
      architecture: 'arm64',
      state: 'available',
      isWindows: false,
      rootDeviceName: '/dev/xvda',
      rootVolumeGibibytes: 30,
    },
  ]);
  expect(asked()).toEqual([
    expect.objectContaining({
      'Filter.1.Name': 'image-id',
      'Filter.1.Value.2': 'ami-00000000',
      IncludeDeprecated: 'true',
    }),
  ]);
});

test('an image of Windows, and one whose root is no EBS volume, are seen as such', async () => {
  answerItems('DescribeImages', 'imagesSet', imageItem('<platform>windows</platform>'));
  expect(await adapter.findImages(['ami-00000001'])).toEqual([
    expect.objectContaining({ isWindows: true, rootVolumeGibibytes: undefined }),
  ]);
});

test('a parameter that does not exist is none, and any other error fails', async () => {
  aws.answer = () => ({ status: 200, body: JSON.stringify({ Parameter: { Value: 'ami-00000001' } }) });
  expect(await adapter.findParameter('/one')).toBe('ami-00000001');
  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'ParameterNotFound' }) });
  expect(await adapter.findParameter('/one')).toBeUndefined();
  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'AccessDeniedException' }) });
  await expect(adapter.findParameter('/one')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('the Region is the one that the client asks', async () => {
  expect(await adapter.ec2Region()).toBe('eu-test-1');
});
