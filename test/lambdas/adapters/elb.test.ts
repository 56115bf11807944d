/** What is sent to Elastic Load Balancing, and how its answers are read. */
import { withAwsEndpoint } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(async () => ({
  ...(await import('../../../lambdas/adapters/elb-load-balancers')),
  ...(await import('../../../lambdas/adapters/elb-removal')),
}));
type Answer = string | { code: string };
/** By action: the answer's inside, or an error's code; several, one after the other. */
let answers: Record<string, Answer | Answer[]> = {};
const requests = () => aws.queries();

aws.answer = ({ body }) => {
  const action = new URLSearchParams(body).get('Action')!;
  const all = answers[action] ?? '';
  const answer = Array.isArray(all) ? all.shift()! : all;
  return typeof answer === 'string'
    ? { status: 200, body: `<${action}Response><${action}Result>${answer}</${action}Result></${action}Response>` }
    : {
        status: 400,
        body: `<ErrorResponse><Error><Type>Sender</Type><Code>${answer.code}</Code><Message>so it is</Message></Error></ErrorResponse>`,
      };
};

beforeEach(() => {
  answers = {};
});

const tags = { 'network-benchmark:run-id': 'run-1' };
const members = (name: string, ...items: string[]) =>
  `<${name}>${items.map((item) => `<member>${item}</member>`).join('')}</${name}>`;
const loadBalancer = (name: string) =>
  `<LoadBalancerArn>arn:${name}</LoadBalancerArn><LoadBalancerName>${name}</LoadBalancerName><State><Code>provisioning</Code></State>`;

describe('making', () => {
  test('a load balancer that is internal, in one subnet, with its group from birth', async () => {
    answers = { CreateLoadBalancer: members('LoadBalancers', loadBalancer('lb')) };

    const made = await adapter.createLoadBalancer({ name: 'lb', subnetId: 'subnet-1', securityGroupId: 'sg-1', tags });

    expect(made).toEqual({ arn: 'arn:lb', state: 'provisioning' });
    expect(requests()[0]).toMatchObject({
      Name: 'lb',
      Type: 'network',
      Scheme: 'internal',
      'Subnets.member.1': 'subnet-1',
      'SecurityGroups.member.1': 'sg-1',
      'Tags.member.2.Key': 'network-benchmark:run-id',
      'Tags.member.2.Value': 'run-1',
    });
  });

  test('a target group of instances whose health is asked on a port of its own', async () => {
    answers = { CreateTargetGroup: members('TargetGroups', '<TargetGroupArn>arn:tg</TargetGroupArn>') };

    const arn = await adapter.createTargetGroup({
      name: 'tg',
      vpcId: 'vpc-1',
      protocol: 'TCP_UDP',
      port: 5201,
      healthCheckPort: 5200,
      tags,
    });

    expect(arn).toBe('arn:tg');
    expect(requests()[0]).toMatchObject({
      Protocol: 'TCP_UDP',
      Port: '5201',
      VpcId: 'vpc-1',
      TargetType: 'instance',
      HealthCheckProtocol: 'TCP',
      HealthCheckPort: '5200',
      HealthCheckIntervalSeconds: '5',
      HealthyThresholdCount: '2',
      UnhealthyThresholdCount: '10',
    });
  });

  test('a listener that forwards, and its idle timeout', async () => {
    await adapter.createListener({
      loadBalancerArn: 'arn:lb',
      targetGroupArn: 'arn:tg',
      protocol: 'TCP',
      port: 5201,
      tags,
    });
    await adapter.setIdleTimeout('arn:listener', 6000);
    await adapter.registerTarget('arn:tg', 'i-1');

    expect(requests()).toMatchObject([
      {
        LoadBalancerArn: 'arn:lb',
        Protocol: 'TCP',
        Port: '5201',
        'DefaultActions.member.1.Type': 'forward',
        'DefaultActions.member.1.TargetGroupArn': 'arn:tg',
        'Tags.member.2.Key': 'network-benchmark:run-id',
      },
      {
        ListenerArn: 'arn:listener',
        'Attributes.member.1.Key': 'tcp.idle_timeout.seconds',
        'Attributes.member.1.Value': '6000',
      },
      { TargetGroupArn: 'arn:tg', 'Targets.member.1.Id': 'i-1' },
    ]);
  });
});

describe('looking', () => {
  test('for what is not there gives nothing', async () => {
    answers = {
      DescribeLoadBalancers: { code: 'LoadBalancerNotFound' },
      DescribeTargetGroups: { code: 'TargetGroupNotFound' },
      DescribeTargetHealth: members('TargetHealthDescriptions'),
    };

    expect(await adapter.findLoadBalancer('lb')).toBeUndefined();
    expect(await adapter.findTargetGroup('tg')).toBeUndefined();
    expect(await adapter.targetHealth('arn:tg')).toBeUndefined();
  });

  const LISTENER =
    '<ListenerArn>arn:l1</ListenerArn><Port>5201</Port>' +
    '<DefaultActions><member><TargetGroupArn>arn:tg</TargetGroupArn></member></DefaultActions>';

  test('gives listeners by port, and health', async () => {
    answers = {
      DescribeListeners: members('Listeners', LISTENER),
      DescribeTargetHealth: members('TargetHealthDescriptions', '<TargetHealth><State>initial</State></TargetHealth>'),
    };

    expect([...(await adapter.findListeners('arn:lb'))]).toEqual([[5201, { arn: 'arn:l1', targetGroupArn: 'arn:tg' }]]);
    expect(await adapter.targetHealth('arn:tg')).toBe('initial');
  });

  test('by tag asks for the tags of those with our names alone, page by page, twenty at a time', async () => {
    const names = Array.from({ length: 21 }, (_, index) => `network-benchmark-${index}`);
    answers = {
      DescribeLoadBalancers: [
        `${members('LoadBalancers', loadBalancer('somebody-elses'), ...names.slice(0, 11).map(loadBalancer))}<NextMarker>more</NextMarker>`,
        members('LoadBalancers', ...names.slice(11).map(loadBalancer)),
      ],
      DescribeTags: [
        members(
          'TagDescriptions',
          '<ResourceArn>arn:network-benchmark-0</ResourceArn><Tags><member><Key>k</Key><Value>v</Value></member></Tags>',
          '<ResourceArn>arn:network-benchmark-1</ResourceArn><Tags><member><Key>k</Key><Value>w</Value></member></Tags>',
        ),
        members('TagDescriptions'),
      ],
    };

    expect(await adapter.findLoadBalancers({ k: 'v' })).toEqual([
      { arn: 'arn:network-benchmark-0', name: 'network-benchmark-0', tags: { k: 'v' } },
    ]);
    const asked = requests().filter(({ Action }) => Action === 'DescribeTags');
    const arnsOf = (sent: Record<string, string>) => Object.keys(sent).filter((key) => key.startsWith('ResourceArns'));
    expect(asked.map((sent) => arnsOf(sent).length)).toEqual([20, 1]);
    expect(JSON.stringify(asked)).not.toContain('somebody-elses');
  });

  test('asks one by one when one of them is gone meanwhile', async () => {
    answers = {
      DescribeTargetGroups: members(
        'TargetGroups',
        ...['a', 'b'].map(
          (letter) =>
            `<TargetGroupArn>arn:${letter}</TargetGroupArn><TargetGroupName>network-benchmark-${letter}</TargetGroupName>`,
        ),
      ),
      DescribeTags: [
        { code: 'TargetGroupNotFound' },
        { code: 'TargetGroupNotFound' },
        members('TagDescriptions', '<ResourceArn>arn:b</ResourceArn><Tags></Tags>'),
      ],
    };

    expect((await adapter.findTargetGroups({})).map(({ name }) => name)).toHaveLength(1);
  });
});

describe('removing', () => {
  test('what is gone is no error', async () => {
    answers = {
      DeleteLoadBalancer: { code: 'LoadBalancerNotFound' },
      DeleteTargetGroup: { code: 'TargetGroupNotFound' },
    };

    await expect(adapter.deleteLoadBalancer('arn:lb')).resolves.toBeUndefined();
    expect(await adapter.deleteTargetGroup('arn:tg')).toBe(true);
  });

  test('a target group that a listener leads to: it is still there', async () => {
    answers = { DeleteTargetGroup: { code: 'ResourceInUse' } };

    expect(await adapter.deleteTargetGroup('arn:tg')).toBe(false);
  });

  test('anything else fails', async () => {
    answers = {
      DeleteLoadBalancer: { code: 'OperationNotPermitted' },
      DeleteTargetGroup: { code: 'AccessDenied' },
      DescribeLoadBalancers: { code: 'AccessDenied' },
    };

    await expect(adapter.deleteLoadBalancer('arn:lb')).rejects.toThrow('so it is');
    await expect(adapter.deleteTargetGroup('arn:tg')).rejects.toThrow('so it is');
    await expect(adapter.findLoadBalancer('lb')).rejects.toThrow('so it is');
  });
});
