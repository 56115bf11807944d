/** What is sent to EC2 for a pair's security groups, and how its answers are read. */
import { withAwsEndpoint } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(async () => ({
  ...(await import('../../../lambdas/adapters/ec2-path')),
  ...(await import('../../../lambdas/adapters/ec2-hosts')),
}));
/** By action: the answer's inside, or an error's code. */
let answers: Record<string, string | { code: string }> = {};
const requests = () => aws.queries();

aws.answer = ({ body }) => {
  const action = new URLSearchParams(body).get('Action')!;
  const answer = answers[action] ?? '';
  return typeof answer === 'string'
    ? { status: 200, body: `<${action}Response>${answer}</${action}Response>` }
    : {
        status: 400,
        body: `<Response><Errors><Error><Code>${answer.code}</Code><Message>so it is</Message></Error></Errors></Response>`,
      };
};

beforeEach(() => {
  answers = {};
});

const request = { name: 'a-group', description: 'why', vpcId: 'vpc-1', tags: { 'network-benchmark:run-id': 'run-1' } };

describe('creating a group', () => {
  test('sends name, network and tags', async () => {
    answers = { CreateSecurityGroup: '<groupId>sg-1</groupId>' };

    expect(await adapter.createSecurityGroup(request)).toBe('sg-1');
    expect(requests()[0]).toMatchObject({
      GroupName: 'a-group',
      GroupDescription: 'why',
      VpcId: 'vpc-1',
      'TagSpecification.1.ResourceType': 'security-group',
      'TagSpecification.1.Tag.2.Key': 'network-benchmark:run-id',
    });
  });

  test('of a name that is taken in the network gives the group that has it', async () => {
    answers = {
      CreateSecurityGroup: { code: 'InvalidGroup.Duplicate' },
      DescribeSecurityGroups: '<securityGroupInfo><item><groupId>sg-7</groupId></item></securityGroupInfo>',
    };

    expect(await adapter.createSecurityGroup(request)).toBe('sg-7');
    expect(requests()[1]).toMatchObject({
      'Filter.1.Name': 'group-name',
      'Filter.1.Value.1': 'a-group',
      'Filter.2.Name': 'vpc-id',
      'Filter.2.Value.1': 'vpc-1',
    });
  });

  test('of a name that is taken and not described yet fails like a group that is not known yet', async () => {
    answers = {
      CreateSecurityGroup: { code: 'InvalidGroup.Duplicate' },
      DescribeSecurityGroups: '<securityGroupInfo/>',
    };

    await expect(adapter.createSecurityGroup(request)).rejects.toMatchObject({ name: 'InvalidGroup.NotFound' });
  });
});

test('admits all traffic of one source per call, and takes a rule that is there for made', async () => {
  answers = { AuthorizeSecurityGroupIngress: { code: 'InvalidPermission.Duplicate' } };

  await adapter.admitTraffic('sg-1', [{ cidr: '203.0.113.1/32' }, { securityGroupId: 'sg-2' }]);

  expect(requests()).toMatchObject([
    { GroupId: 'sg-1', 'IpPermissions.1.IpProtocol': '-1', 'IpPermissions.1.IpRanges.1.CidrIp': '203.0.113.1/32' },
    { GroupId: 'sg-1', 'IpPermissions.1.IpProtocol': '-1', 'IpPermissions.1.Groups.1.GroupId': 'sg-2' },
  ]);
});

test('finds groups by tag with their rules, and revokes exactly those', async () => {
  answers = {
    DescribeSecurityGroups: `<securityGroupInfo><item><groupId>sg-1</groupId><groupName>a-group</groupName>
      <tagSet><item><key>k</key><value>v</value></item></tagSet>
      <ipPermissions><item><ipProtocol>-1</ipProtocol><groups><item><groupId>sg-2</groupId></item></groups>
      <ipRanges><item><cidrIp>203.0.113.1/32</cidrIp></item></ipRanges></item></ipPermissions></item></securityGroupInfo>`,
  };

  const [group] = await adapter.findSecurityGroups({ k: 'v' });
  await adapter.revokeIngress(group!);

  expect(group).toMatchObject({ securityGroupId: 'sg-1', name: 'a-group', tags: { k: 'v' } });
  expect(requests()).toMatchObject([
    { 'Filter.1.Name': 'tag:k', 'Filter.1.Value.1': 'v' },
    {
      Action: 'RevokeSecurityGroupIngress',
      GroupId: 'sg-1',
      'IpPermissions.1.IpProtocol': '-1',
      'IpPermissions.1.Groups.1.GroupId': 'sg-2',
      'IpPermissions.1.IpRanges.1.CidrIp': '203.0.113.1/32',
    },
  ]);
});

test('revokes nothing of a group without rules', async () => {
  await adapter.revokeIngress({ securityGroupId: 'sg-1', name: '', tags: {}, ingress: [] });

  expect(requests()).toEqual([]);
});

describe('what is no error', () => {
  const group = { securityGroupId: 'sg-1', name: '', tags: {}, ingress: [{ IpProtocol: '-1' }] };

  test.each(['InvalidPermission.NotFound', 'InvalidGroup.NotFound'])('revoking what is gone: %s', async (code) => {
    answers = { RevokeSecurityGroupIngress: { code } };

    await expect(adapter.revokeIngress(group)).resolves.toBeUndefined();
  });

  test('deleting a group that is gone', async () => {
    answers = { DeleteSecurityGroup: { code: 'InvalidGroup.NotFound' } };

    expect(await adapter.deleteSecurityGroup('sg-1')).toBe(true);
  });

  test('deleting one that is still in use', async () => {
    answers = { DeleteSecurityGroup: { code: 'DependencyViolation' } };

    expect(await adapter.deleteSecurityGroup('sg-1')).toBe(false);
  });

  test('anything else is one', async () => {
    const code = { code: 'UnauthorizedOperation' };
    answers = {
      CreateSecurityGroup: code,
      AuthorizeSecurityGroupIngress: code,
      RevokeSecurityGroupIngress: code,
      DeleteSecurityGroup: code,
    };
    const refused = { name: 'UnauthorizedOperation' };

    await expect(adapter.createSecurityGroup(request)).rejects.toMatchObject(refused);
    await expect(adapter.admitTraffic('sg-1', [{ cidr: '203.0.113.1/32' }])).rejects.toMatchObject(refused);
    await expect(adapter.revokeIngress(group)).rejects.toMatchObject(refused);
    await expect(adapter.deleteSecurityGroup('sg-1')).rejects.toMatchObject(refused);
  });
});

test('gives public addresses in the order of the hosts, whatever EC2’s order', async () => {
  const instance = (id: string, address: string) =>
    `<item><instancesSet><item><instanceId>${id}</instanceId>${address}</item></instancesSet></item>`;
  aws.answer = () => ({
    status: 200,
    body: `<DescribeInstancesResponse><reservationSet>${instance('i-2', '<ipAddress>203.0.113.2</ipAddress>')}${instance('i-1', '')}</reservationSet></DescribeInstancesResponse>`,
  });

  expect(await adapter.publicAddresses(['i-1', 'i-2'])).toEqual([undefined, '203.0.113.2']);
});

test('finds a load balancer’s interface by the end of its ARN', async () => {
  aws.answer = () => ({
    status: 200,
    body: '<DescribeNetworkInterfacesResponse><networkInterfaceSet><item><privateIpAddress>10.0.0.9</privateIpAddress></item></networkInterfaceSet></DescribeNetworkInterfacesResponse>',
  });

  const arn =
    'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/network-benchmark-1/0123456789abcdef';
  expect(await adapter.loadBalancerAddress(arn)).toBe('10.0.0.9');
  expect(Object.fromEntries(new URLSearchParams(aws.requests[0]!.body))).toMatchObject({
    'Filter.1.Name': 'description',
    'Filter.1.Value.1': 'ELB net/network-benchmark-1/0123456789abcdef',
  });
});
