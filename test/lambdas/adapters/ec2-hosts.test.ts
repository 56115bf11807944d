/** What the EC2 adapter really sends and how it reads EC2's answers: the SDK against an endpoint of the test's own. */
import { withAwsEndpoint, type AwsAnswer } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(async () => ({
  ...(await import('../../../lambdas/adapters/ec2-hosts')),
  ...(await import('../../../lambdas/adapters/ec2-launch')),
}));
let answers: AwsAnswer[] = [];
/** What was asked, in EC2's query protocol. */
const requests = () => aws.requests.map(({ body }) => new URLSearchParams(body));

aws.answer = () => (answers.length > 1 ? answers.shift()! : answers[0]!);

const answerError = (status: number, code: string) => {
  answers = [
    {
      status,
      body: `<Response><Errors><Error><Code>${code}</Code><Message>so it is</Message></Error></Errors></Response>`,
    },
  ];
};

const answerInstance = (state: string) => {
  answers = [
    {
      status: 200,
      body: `<RunInstancesResponse><instancesSet><item><instanceId>i-1</instanceId>
        <instanceState><code>0</code><name>${state}</name></instanceState>
        <privateIpAddress>10.0.0.1</privateIpAddress><launchTime>2026-11-20T10:00:00.000Z</launchTime>
        <placement><availabilityZone>eu-test-1a</availabilityZone></placement></item></instancesSet></RunInstancesResponse>`,
    },
  ];
};

const request = {
  clientToken: 'token',
  launchTemplateId: 'lt-1',
  instanceType: 't3.micro',
  imageId: 'ami-1',
  subnetId: 'subnet-1',
  securityGroupIds: ['sg-1', 'sg-2'],
  hasPublicAddress: true,
  rootDisk: { deviceName: '/dev/sda1', gibibytes: 10 },
  idleTcpConnectionSeconds: 10_800,
  cpuCredits: 'unlimited' as const,
  placementGroupName: 'group',
  tags: { 'network-benchmark:run-id': 'run-1' },
};

describe('launching a host', () => {
  test('requests one instance, with subnet and group in the interface, and tags everything that is created', async () => {
    answerInstance('pending');

    expect(await adapter.runHost(request)).toEqual({
      instanceId: 'i-1',
      zone: 'eu-test-1a',
      privateIp: '10.0.0.1',
      launchedAt: '2026-11-20T10:00:00.000Z',
    });

    const sent = Object.fromEntries(requests()[0]!);
    expect(sent).toMatchObject({
      Action: 'RunInstances',
      ClientToken: 'token',
      MinCount: '1',
      MaxCount: '1',
      InstanceType: 't3.micro',
      ImageId: 'ami-1',
      'LaunchTemplate.LaunchTemplateId': 'lt-1',
      'LaunchTemplate.Version': '$Latest',
      'NetworkInterface.1.DeviceIndex': '0',
      'NetworkInterface.1.SubnetId': 'subnet-1',
      'NetworkInterface.1.SecurityGroupId.1': 'sg-1',
      'NetworkInterface.1.SecurityGroupId.2': 'sg-2',
      'NetworkInterface.1.AssociatePublicIpAddress': 'true',
      'NetworkInterface.1.ConnectionTrackingSpecification.TcpEstablishedTimeout': '10800',
      'BlockDeviceMapping.1.DeviceName': '/dev/sda1',
      'BlockDeviceMapping.1.Ebs.VolumeSize': '10',
      'BlockDeviceMapping.1.Ebs.Encrypted': 'true',
      'BlockDeviceMapping.1.Ebs.DeleteOnTermination': 'true',
      'Placement.GroupName': 'group',
      'CreditSpecification.CpuCredits': 'unlimited',
    });
    // EC2 refuses these beside an interface.
    expect(sent).not.toHaveProperty('SubnetId');
    expect(sent).not.toHaveProperty('SecurityGroupId.1');
    for (const [index, type] of ['instance', 'volume', 'network-interface'].entries()) {
      const prefix = `TagSpecification.${index + 1}`;
      expect(sent[`${prefix}.ResourceType`]).toBe(type);
      const keys = Object.entries(sent).flatMap(([key, value]) =>
        key.startsWith(`${prefix}.Tag.`) && key.endsWith('.Key') ? [value] : [],
      );
      expect(keys).toContain('network-benchmark:run-id');
    }
  });

  test('requests no public address, and the disk of another image', async () => {
    answerInstance('pending');

    await adapter.runHost({
      ...request,
      hasPublicAddress: false,
      rootDisk: { deviceName: '/dev/xvda', gibibytes: 30 },
    });

    expect(Object.fromEntries(requests()[0]!)).toMatchObject({
      'NetworkInterface.1.AssociatePublicIpAddress': 'false',
      'BlockDeviceMapping.1.DeviceName': '/dev/xvda',
      'BlockDeviceMapping.1.Ebs.VolumeSize': '30',
    });
  });

  test.each([true, false])('requests ENA Express on the interface, for UDP %s', async (udp) => {
    answerInstance('pending');

    await adapter.runHost({ ...request, enaExpress: { udp } });

    expect(Object.fromEntries(requests()[0]!)).toMatchObject({
      'NetworkInterface.1.EnaSrdSpecification.EnaSrdEnabled': 'true',
      'NetworkInterface.1.EnaSrdSpecification.EnaSrdUdpSpecification.EnaSrdUdpEnabled': String(udp),
    });
  });

  test('sends no credits, placement group or interface settings unless they are requested', async () => {
    answerInstance('pending');

    await adapter.runHost({
      ...request,
      placementGroupName: undefined,
      cpuCredits: undefined,
      idleTcpConnectionSeconds: undefined,
    });

    expect([...requests()[0]!.keys()].filter((key) => /Credit|Placement|EnaSrd|Tracking/.test(key))).toEqual([]);
  });

  test('fails with EC2’s own code as the name', async () => {
    answerError(400, 'VcpuLimitExceeded');

    await expect(adapter.runHost(request)).rejects.toMatchObject({ name: 'VcpuLimitExceeded' });
  });

  test.each(['shutting-down', 'terminated'])('fails for a token whose host is %s', async (state) => {
    answerInstance(state);

    await expect(adapter.runHost(request)).rejects.toMatchObject({ name: 'TerminatedHost' });
  });
});

describe('what is no error', () => {
  test('creating a placement group that exists already', async () => {
    answerError(400, 'InvalidPlacementGroup.Duplicate');

    await expect(adapter.createPlacementGroup('group', 'cluster', {})).resolves.toBeUndefined();
  });

  test('deleting a placement group that is gone', async () => {
    answerError(400, 'InvalidPlacementGroup.Unknown');

    await expect(adapter.deletePlacementGroup('group')).resolves.toBe(true);
  });

  test('deleting one that is still in use', async () => {
    answerError(400, 'InvalidPlacementGroup.InUse');

    await expect(adapter.deletePlacementGroup('group')).resolves.toBe(false);
  });

  test('terminating a host that EC2 has forgotten, and the others are still terminated', async () => {
    answerError(400, 'InvalidInstanceID.NotFound');

    await adapter.terminateHosts(['i-1', 'i-2']);

    expect(requests().map((sent) => [sent.get('InstanceId.1'), sent.get('InstanceId.2')])).toEqual([
      ['i-1', 'i-2'],
      ['i-1', null],
      ['i-2', null],
    ]);
  });

  test('terminating no hosts sends no request', async () => {
    await adapter.terminateHosts([]);

    expect(requests()).toEqual([]);
  });
});

test('anything else fails', async () => {
  answerError(403, 'UnauthorizedOperation');

  await expect(adapter.createPlacementGroup('group', 'cluster', {})).rejects.toMatchObject({
    name: 'UnauthorizedOperation',
  });
  await expect(adapter.deletePlacementGroup('group')).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
  await expect(adapter.terminateHosts(['i-1'])).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
});

describe('finding hosts', () => {
  test('asks by every tag, for all that are not terminated, page by page', async () => {
    const page = (instanceId: string, token: string) => ({
      status: 200,
      body: `<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>${instanceId}</instanceId>
        <instanceState><name>running</name></instanceState>
        <tagSet><item><key>network-benchmark:run-id</key><value>run-1</value></item></tagSet>
        </item></instancesSet></item></reservationSet>${token}</DescribeInstancesResponse>`,
    });
    answers = [page('i-1', '<nextToken>more</nextToken>'), page('i-2', '')];

    const hosts = await adapter.findHosts({ 'network-benchmark:stack': 'S', 'network-benchmark:run-id': 'run-1' });

    expect(hosts).toEqual(
      ['i-1', 'i-2'].map((instanceId) => ({
        instanceId,
        state: 'running',
        tags: { 'network-benchmark:run-id': 'run-1' },
      })),
    );
    expect(Object.fromEntries(requests()[0]!)).toMatchObject({
      'Filter.1.Name': 'tag:network-benchmark:stack',
      'Filter.1.Value.1': 'S',
      'Filter.2.Name': 'tag:network-benchmark:run-id',
      'Filter.2.Value.1': 'run-1',
      'Filter.3.Name': 'instance-state-name',
    });
    expect(requests()[1]!.get('NextToken')).toBe('more');
  });
});
