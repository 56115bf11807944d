/** What EC2 is asked about the subnets and images that a plan names, and how its answers are read. */
import { withAwsEndpoint } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(async () => ({
  ...(await import('../../../lambdas/adapters/ec2-catalogue')),
  ...(await import('../../../lambdas/adapters/ssm')),
}));

const asked = () => aws.queries();
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

const subnet = (subnetId: string, vpcId: string) => ({ subnetId, vpcId, zone: 'eu-test-1a', zoneId: 'eut1-az1' });
const item = (content: string) => `<item>${content}</item>`;
const route = (target: string, destination = '0.0.0.0/0') =>
  item(`<destinationCidrBlock>${destination}</destinationCidrBlock>${target}<state>active</state>`);
const NAT = route('<natGatewayId>nat-1</natGatewayId>');
const INTERNET = route('<gatewayId>igw-1</gatewayId>');
const LOCAL = route('<gatewayId>local</gatewayId>', '10.0.0.0/16');

function table(vpcId: string, associations: string, routes: string): string {
  const sets = `<associationSet>${item(associations)}</associationSet><routeSet>${routes}</routeSet>`;
  return item(`<vpcId>${vpcId}</vpcId>${sets}`);
}
const main = '<main>true</main>';
const of = (subnetId: string) => `<main>false</main><subnetId>${subnetId}</subnetId>`;

test.each([
  ['the main table has a NAT gateway', [table('vpc-1', main, LOCAL + NAT)], true],
  [
    'a transit gateway is at the end',
    [table('vpc-1', main, route('<transitGatewayId>tgw-1</transitGatewayId>'))],
    true,
  ],
  ['there is no default route', [table('vpc-1', main, LOCAL)], false],
  ['it is narrower', [table('vpc-1', main, route('<natGatewayId>nat-1</natGatewayId>', '10.1.0.0/16'))], false],
  ['an internet gateway, which sends nothing for a private address', [table('vpc-1', main, INTERNET)], false],
  ['the gateway is gone', [table('vpc-1', main, NAT.replace('active', 'blackhole'))], false],
  [
    'its own table counts, and not the main one',
    [table('vpc-1', main, NAT), table('vpc-1', of('subnet-1'), LOCAL)],
    false,
  ],
  ["another subnet's table does not", [table('vpc-1', of('subnet-2'), LOCAL), table('vpc-1', main, NAT)], true],
  ["another VPC's main table does not", [table('vpc-2', main, NAT)], undefined],
])('a way out for a private host: %s', async (_, tables, expected) => {
  const body = `<DescribeRouteTablesResponse><routeTableSet>${tables.join('')}</routeTableSet></DescribeRouteTablesResponse>`;
  aws.answer = () => ({ status: 200, body });

  const found = await adapter.findPrivateWaysOut([subnet('subnet-1', 'vpc-1'), subnet('subnet-9', 'vpc-1')]);

  expect(found.get('subnet-1')).toBe(expected);
  const asked = aws.requests.map(({ body: sent }) => Object.fromEntries(new URLSearchParams(sent)));
  expect(asked).toEqual([
    expect.objectContaining({
      Action: 'DescribeRouteTables',
      'Filter.1.Name': 'vpc-id',
      'Filter.1.Value.1': 'vpc-1',
    }),
  ]);
});

test('only pending and running commands are unfinished', async () => {
  const Commands = ['Pending', 'InProgress', 'Success', 'Failed'].map((Status) => ({ CommandId: Status, Status }));
  aws.answer = () => ({ status: 200, body: JSON.stringify({ Commands }) });

  expect(await adapter.listUnfinishedCommands('i-1')).toEqual(['Pending', 'InProgress']);
});

test('a host that never registered has no commands, and any other error fails', async () => {
  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'InvalidInstanceId' }) });
  expect(await adapter.listUnfinishedCommands('i-1')).toEqual([]);

  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'InvalidFilterKey' }) });
  await expect(adapter.listUnfinishedCommands('i-1')).rejects.toMatchObject({ name: 'InvalidFilterKey' });
});

test('instances that count against the quotas of On-Demand Instances are those that EC2 counts, with their vCPUs', async () => {
  const instance = (type: string, threads: number, rest = '') =>
    `<item><instanceId>i-1</instanceId><instanceType>${type}</instanceType>
     <cpuOptions><coreCount>4</coreCount><threadsPerCore>${threads}</threadsPerCore></cpuOptions>${rest}</item>`;
  const items = [
    instance('m5.2xlarge', 2, '<placement><tenancy>dedicated</tenancy></placement>'),
    instance('c7g.xlarge', 1),
    instance('m5.2xlarge', 2, '<instanceLifecycle>spot</instanceLifecycle>'),
    instance('m5.2xlarge', 2, '<placement><tenancy>host</tenancy></placement>'),
  ];
  answerItems('DescribeInstances', 'reservationSet', `<item><instancesSet>${items.join('')}</instancesSet></item>`);

  expect(await adapter.describeVcpusInUse()).toEqual([
    { instanceType: 'm5.2xlarge', vcpuCount: 8 },
    { instanceType: 'c7g.xlarge', vcpuCount: 4 },
  ]);
  expect(asked()).toEqual([
    expect.objectContaining({
      Action: 'DescribeInstances',
      'Filter.1.Name': 'instance-state-name',
      'Filter.1.Value.1': 'pending',
      'Filter.1.Value.2': 'running',
    }),
  ]);
});

describe("the types of the account's free plan", () => {
  const types = ['t4g.small', 't3.micro'].map((type) => `<item><instanceType>${type}</instanceType></item>`).join('');
  const answerPlan = (status: number, answer: unknown) => {
    aws.answer = ({ action }) =>
      action === 'GetAccountPlanState'
        ? { status, body: JSON.stringify(answer) }
        : {
            status: 200,
            body: `<DescribeInstanceTypesResponse><instanceTypeSet>${types}</instanceTypeSet></DescribeInstanceTypesResponse>`,
          };
  };

  test('are those that EC2 calls eligible', async () => {
    answerPlan(200, { accountId: '123456789012', accountPlanType: 'FREE', accountPlanStatus: 'ACTIVE' });
    expect(await adapter.findFreePlanTypes()).toEqual(['t3.micro', 't4g.small']);
    expect(aws.requests.map(({ scope }) => scope)).toEqual(['us-east-1/freetier', 'eu-test-1/ec2']);
    const filter = { 'Filter.1.Name': 'free-tier-eligible', 'Filter.1.Value.1': 'true' };
    expect(asked()[1]).toMatchObject({ Action: 'DescribeInstanceTypes', ...filter });
  });

  test.each([
    ['on a paid plan', 200, { accountPlanType: 'PAID' }],
    ['where the call is denied', 400, { __type: 'com.amazonaws.freetier#AccessDeniedException', message: 'no' }],
    ['without a plan', 400, { __type: 'ResourceNotFoundException', message: 'no' }],
  ])('are all types %s', async (_, status, answer) => {
    answerPlan(status, answer);
    expect(await adapter.findFreePlanTypes()).toBeUndefined();
    expect(aws.requests).toHaveLength(1);
  });

  test.each([
    [500, { __type: 'InternalServerException', message: 'later' }, 3, { name: 'InternalServerException' }],
    [503, 'busy', 3, { name: 'HTTP 503', message: '"busy"' }],
    [400, { __type: 'com.amazonaws.freetier#ThrottlingException' }, 3, { name: 'ThrottlingException' }],
    [400, { __type: 'com.amazonaws.freetier#ValidationException' }, 1, { name: 'ValidationException' }],
    [200, {}, 1, { message: 'GetAccountPlanState.accountPlanType: must be in the answer of AWS, is not' }],
  ])('are unknown after answers of %d %j, of which there were %d', async (status, answer, calls, error) => {
    answerPlan(status, answer);
    await expect(adapter.findFreePlanTypes()).rejects.toMatchObject(error);
    expect(aws.requests).toHaveLength(calls);
  });
});
