/** What the context of a deployment changes in the template, and which values of it are rejected. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { type CfnResource, evaluate, flatten, newStack } from '../support/synth';
import { isScheduledRun, RUN_ID_PATTERN } from '../../domain/workflow/identifiers';
import { readContext } from '../../lib/context';
import { toleranceSeconds } from '../../lib/operations/canary';

const ROOT = join(__dirname, '../..');
const SMOKE_PLAN = join(ROOT, 'examples/plans/smoke.json');

test.each(['aws-network', 'AmazonBench', 'amznbench', 'a'.repeat(41), '1st', 'under_score', 7])(
  'refuses the stack name %s',
  (stackName) => {
    expect(() => readContext({ stackName })).toThrow(/^context stackName: must be 1 to 40 letters, digits and hyphens/);
  },
);

test('takes any other stack name', () => {
  expect(readContext({}).stackName).toBe('NetworkBenchmark');
  expect(readContext({ stackName: 'laws-of-network' }).stackName).toBe('laws-of-network');
});

describe('zones', () => {
  const subnetsOf = (context: Record<string, unknown>) =>
    Template.fromStack(newStack(context)).findResources('AWS::EC2::Subnet') as Record<string, CfnResource>;

  test('keep their subnets, with the same addresses, when zones are added, in both networks', () => {
    const blocksWith = (zones: number) =>
      Object.entries(subnetsOf({ zones, peering: true })).map(([id, { Properties }]) => [id, Properties.CidrBlock]);
    const most = Object.fromEntries(blocksWith(6)) as Record<string, string>;
    expect(new Set(Object.values(most)).size).toBe(12);
    for (const zones of [1, 2, 3, 4, 5]) {
      const subnets = blocksWith(zones);
      expect(subnets).toHaveLength(2 * zones);
      for (const [id, block] of subnets) expect({ id, block: most[id!] }).toEqual({ id, block });
    }
    expect(blocksWith(6).map(([, block]) => block)).toEqual([
      ...['10.0.0.0/19', '10.0.32.0/19', '10.0.64.0/19', '10.0.96.0/19', '10.0.128.0/19', '10.0.160.0/19'],
      ...['10.1.0.0/19', '10.1.32.0/19', '10.1.64.0/19', '10.1.96.0/19', '10.1.128.0/19', '10.1.160.0/19'],
    ]);
  });

  test('that are asked for by their number and not listed fail the deployment with the reason', () => {
    const zones = Object.values(subnetsOf({ zones: '3' })).map(({ Properties }) =>
      evaluate(Properties.AvailabilityZone, ['us-west-1a', 'us-west-1c']),
    );
    expect(zones).toEqual(['us-west-1a', 'us-west-1c', expect.stringContaining('Fn::GetAZs lists too few')]);
  });

  test('can be named', () => {
    const zones = Object.values(subnetsOf({ zones: 'us-west-1a, us-west-1c' }));
    expect(zones.map(({ Properties }) => Properties.AvailabilityZone)).toEqual(['us-west-1a', 'us-west-1c']);
  });

  test.each([0, 7, '2.5', 'many zones', 'us-west-1a,us-west-1a', 'us-west-1a,', ['us-west-1a', 2], true])(
    'are refused as %j',
    (zones) => {
      expect(() => newStack({ zones })).toThrow(
        /^context zones: must be a (whole number from 1 to 6, or the names of as many|list of names)/,
      );
    },
  );
});

test('uses the existing network that the context names, without a look-up', () => {
  const stack = newStack({
    vpcId: 'vpc-0123456789abcdef0',
    subnetIds: 'subnet-1,subnet-2',
    availabilityZones: ['eu-west-1a', 'eu-west-1b'],
  });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::EC2::VPC', 0);
  template.hasResourceProperties('AWS::EC2::SecurityGroup', { VpcId: 'vpc-0123456789abcdef0' });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { SUBNET_IDS: 'subnet-1,subnet-2' } },
  });
});

describe('where hosts may be', () => {
  const environmentOf = (context: Record<string, unknown>) => {
    const functions = Template.fromStack(newStack(context)).findResources('AWS::Lambda::Function');
    const [, planRun] = Object.entries(functions as Record<string, CfnResource>).find(([id]) =>
      id.startsWith('FunctionsPlanRun'),
    )!;
    const { HOST_VPCS, PUBLIC_ADDRESSES, IMAGE_PARAMETERS } = planRun.Properties.Environment.Variables;
    return { HOST_VPCS, PUBLIC_ADDRESSES, IMAGE_PARAMETERS };
  };

  test("is the stack's own network, with public addresses, unless the context says more", () => {
    expect(environmentOf({})).toEqual({
      HOST_VPCS: '',
      PUBLIC_ADDRESSES: 'true',
      IMAGE_PARAMETERS: '/network-benchmark/images/*',
    });
  });

  test.each([
    [{ hostVpcs: 'any', publicAddresses: false, imageParameters: ['/own/image'] }, 'any', '/own/image'],
    [
      { hostVpcs: 'vpc-1, vpc-2,vpc-1', publicAddresses: 'false', imageParameters: '/own/x86,/golden/*' },
      'vpc-1,vpc-2',
      '/own/x86,/golden/*',
    ],
  ])('is told to plan-run: %j', (context, vpcs, parameters) => {
    expect(environmentOf(context)).toEqual({
      HOST_VPCS: vpcs,
      PUBLIC_ADDRESSES: 'false',
      IMAGE_PARAMETERS: parameters,
    });
  });

  interface Statement {
    readonly Action: string | string[];
    readonly Resource: unknown;
    readonly Condition?: Record<string, Record<string, unknown>>;
  }

  /** What the role of launch-pair says of these resources of an action. */
  function launchGrants(context: Record<string, unknown>, action: string, kind: string): Statement[] {
    const roles = Template.fromStack(newStack(context)).findResources('AWS::IAM::Role') as Record<string, CfnResource>;
    const [, role] = Object.entries(roles).find(([id]) => id.startsWith('FunctionsLaunchPair'))!;
    const statements = role.Properties.Policies.flatMap((policy: any) => policy.PolicyDocument.Statement);
    return (statements as Statement[]).filter(
      ({ Action, Resource }) => [Action].flat().includes(action) && JSON.stringify(Resource).includes(`:${kind}/`),
    );
  }

  const arnsOf = (value: unknown) => [value].flat().map((one) => flatten(one).replace(/^.*:(vpc|subnet)\//, '$1/'));

  test.each([
    [{}, ['vpc/<TestNetworkVpc']],
    [{ hostVpcs: 'vpc-1,vpc-2' }, ['vpc/<TestNetworkVpc', 'vpc/vpc-1', 'vpc/vpc-2']],
  ])('limits what launch-pair may do to networks: %j', (context, vpcs) => {
    const expected = vpcs.map((vpc) => expect.stringContaining(vpc));
    const [launch] = launchGrants(context, 'ec2:RunInstances', 'subnet');
    expect(arnsOf(launch!.Resource)).toEqual(['subnet/*']);
    expect(arnsOf(launch!.Condition!.StringEquals!['ec2:Vpc'])).toEqual(expected);
    const [create] = launchGrants(context, 'ec2:CreateSecurityGroup', 'vpc');
    expect(arnsOf(create!.Resource)).toEqual(expected);
  });

  test('may be every network of the account', () => {
    const [launch, ...others] = launchGrants({ hostVpcs: 'any' }, 'ec2:RunInstances', 'subnet');
    expect([launch!.Condition, others]).toEqual([undefined, []]);
    expect(arnsOf(launch!.Resource)).toContain('subnet/*');
    const [create] = launchGrants({ hostVpcs: 'any' }, 'ec2:CreateSecurityGroup', 'vpc');
    expect(arnsOf(create!.Resource)).toEqual(['vpc/*']);
  });
});

test('creates a second, peered network: routes in both directions, and hosts that admit only each other', () => {
  const template = Template.fromStack(newStack({ peering: 'true' }));
  const found = (type: string) => template.findResources(type) as Record<string, CfnResource>;
  expect(Object.values(found('AWS::EC2::VPC')).map(({ Properties }) => Properties.CidrBlock)).toEqual([
    '10.0.0.0/16',
    '10.1.0.0/16',
  ]);
  template.resourceCountIs('AWS::EC2::VPCPeeringConnection', 1);
  template.resourceCountIs('AWS::EC2::VPCEndpoint', 2);
  const routes = Object.values(found('AWS::EC2::Route')).filter(({ Properties }) => Properties.VpcPeeringConnectionId);
  // There are three subnets on each side, each with a route to the addresses of the other side.
  expect(new Set(routes.map(({ Properties }) => flatten(Properties.RouteTableId))).size).toBe(6);
  const destinations = routes.map(({ Properties }) => flatten(Properties.DestinationCidrBlock).replace(/\w{8}\./, '.'));
  expect(destinations.sort()).toEqual([
    ...Array<string>(3).fill('<TestNetworkSecondVpc.CidrBlock>'),
    ...Array<string>(3).fill('<TestNetworkVpc.CidrBlock>'),
  ]);
  const rules = Object.values(found('AWS::EC2::SecurityGroupIngress')).map(({ Properties }) =>
    [Properties.GroupId, Properties.SourceSecurityGroupId].map((id) => flatten(id).replace(/\w{8}\.GroupId/, '')),
  );
  const [first, second] = ['<TestNetworkHostSecurityGroup>', '<TestNetworkPeeredHostSecurityGroup>'];
  expect(rules).toHaveLength(3);
  expect(rules).toEqual(
    expect.arrayContaining([
      [first, first],
      [first, second],
      [second, first],
    ]),
  );
  const { Variables } = Object.entries(found('AWS::Lambda::Function')).find(([id]) =>
    id.startsWith('FunctionsLaunchPair'),
  )![1].Properties.Environment;
  expect(flatten(Variables.PEERED_SECURITY_GROUP_ID)).toMatch(/^<TestNetworkPeeredHostSecurityGroup/);
});

describe('the buckets that are deleted with the stack', () => {
  /** Logical ids of the buckets, as far as the CDK takes them from the names of the constructs. */
  function bucketsOf(context: Record<string, unknown>) {
    const template = Template.fromStack(newStack(context));
    const found = (type: string) => template.findResources(type) as Record<string, CfnResource>;
    const named = (ids: readonly string[]) => ids.map((id) => id.replace(/(Bucket)\w{8}$/, '$1')).sort();
    const buckets = Object.entries(found('AWS::S3::Bucket'));
    const emptying = Object.entries(found('AWS::CloudFormation::CustomResource')).find(
      ([, { Properties }]) => Properties.BucketNames !== undefined,
    );
    return {
      deleted: named(buckets.flatMap(([id, { DeletionPolicy }]) => (DeletionPolicy === 'Delete' ? [id] : []))),
      tagged: named(buckets.flatMap(([id, { Properties }]) => (Properties.Tags === undefined ? [] : [id]))),
      emptied: named((emptying![1].Properties.BucketNames as { Ref: string }[]).map(({ Ref }) => Ref)),
      emptyingId: emptying![0],
      roles: found('AWS::IAM::Role'),
    };
  }

  test.each([
    [{}, ['PayloadStoreBucket']],
    [{ removalPolicy: 'retain' }, ['PayloadStoreBucket']],
    [{ removalPolicy: 'destroy' }, ['PayloadStoreBucket', 'ResultStoreBucket']],
  ])('are emptied before, and no other: %j', (context, expected) => {
    const { deleted, tagged, emptied } = bucketsOf(context);
    expect({ deleted, tagged, emptied }).toEqual({ deleted: expected, tagged: expected, emptied: expected });
  });

  test('are emptied after the roles that may write to them are gone', () => {
    const { roles, emptyingId } = bucketsOf({ removalPolicy: 'destroy' });
    const writers = Object.entries(roles).filter(([, { Properties }]) =>
      JSON.stringify(Properties.Policies).includes('s3:PutObject'),
    );
    expect(writers.length).toBeGreaterThan(4);
    for (const [id, { DependsOn }] of writers) expect({ id, DependsOn }).toEqual({ id, DependsOn: [emptyingId] });
  });
});

test('starts the canary’s plan on the schedule that the context gives, with a role that can do nothing else', () => {
  const template = Template.fromStack(newStack({ canarySchedule: 'rate(1 day)', canaryPlan: SMOKE_PLAN }));
  const schedules = template.findResources('AWS::Scheduler::Schedule') as Record<string, CfnResource>;
  for (const { Properties } of Object.values(schedules)) {
    expect([Properties.ScheduleExpression, Properties.FlexibleTimeWindow.Mode]).toEqual(['rate(1 day)', 'OFF']);
  }
  const targetOf = (idPrefix: string) =>
    Object.entries(schedules).find(([id]) => id.startsWith(idPrefix))![1].Properties.Target;
  const Target = targetOf('OperationsCanarySchedule');
  expect(flatten(Target.Arn)).toBe('arn:<AWS::Partition>:scheduler:::aws-sdk:sfn:startExecution');
  const request = JSON.parse(flatten(Target.Input)) as Record<string, string>;
  expect(JSON.parse(request.Input!)).toEqual(JSON.parse(readFileSync(SMOKE_PLAN, 'utf8')));
  expect(request.StateMachineArn).toMatch(/^<NetworkBenchmarkStateMachine/);
  // As EventBridge Scheduler documents the ids of its executions, and as the name of a run must be.
  const runId = request.Name!.replace('<aws.scheduler.execution-id>', 'd32c5kddcf5bb8c3');
  expect(runId).toMatch(RUN_ID_PATTERN);
  expect(isScheduledRun(runId)).toBe(true);
  const due = flatten(targetOf('OperationsCanaryDueSchedule').Arn);
  expect(due).toMatch(/^<OperationsCanaryDueQueue/);
  expect(flatten(Target.DeadLetterConfig.Arn)).toMatch(/^<OperationsUndeliveredEvents/);
  const roleId = flatten(Target.RoleArn).replace(/^<(\w+)\.Arn>$/, '$1');
  const role = (template.findResources('AWS::IAM::Role') as Record<string, CfnResource>)[roleId]!;
  const statements = role.Properties.Policies.flatMap((policy: any) => policy.PolicyDocument.Statement) as any[];
  expect(statements.map(({ Action, Resource }) => [Action, [Resource].flat().map(flatten)])).toEqual([
    ['states:StartExecution', [request.StateMachineArn]],
    ['sqs:SendMessage', [due, flatten(Target.DeadLetterConfig.Arn)]],
  ]);
});

describe('notify', () => {
  const TOPIC = 'arn:aws:sns:eu-west-1:999999999999:runs';
  const CANARY = { canarySchedule: 'rate(1 day)', canaryPlan: SMOKE_PLAN };
  const actionsOf = (template: Template) =>
    Object.values(template.findResources('AWS::CloudWatch::Alarm') as Record<string, CfnResource>).map(
      ({ Properties }) => (Properties.AlarmActions as unknown[] | undefined)?.map(flatten),
    );

  test('makes a topic with a subscription per address, to which every alarm and nobody else publishes', () => {
    const template = Template.fromStack(
      newStack({ ...CANARY, notify: 'me@example.com, you@example.com,me@example.com' }),
    );
    const subscriptions = Object.values(template.findResources('AWS::SNS::Subscription')) as CfnResource[];
    expect(subscriptions.map(({ Properties }) => [Properties.Protocol, Properties.Endpoint])).toEqual([
      ['email', 'me@example.com'],
      ['email', 'you@example.com'],
    ]);
    const [topicId] = Object.keys(template.findResources('AWS::SNS::Topic'));
    expect(new Set(actionsOf(template).flat())).toEqual(new Set([`<${topicId}>`]));
    const [policy] = Object.values(template.findResources('AWS::SNS::TopicPolicy')) as CfnResource[];
    const allowed = policy!.Properties.PolicyDocument.Statement.filter(({ Effect }: any) => Effect === 'Allow');
    expect(allowed).toEqual([
      expect.objectContaining({
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
    expect(flatten(template.toJSON().Outputs.NotificationTopicArn.Value)).toBe(`<${topicId}>`);
  });

  test('takes a topic that is there, also one of another account, in the Region of the deployment', () => {
    const template = Template.fromStack(newStack({ ...CANARY, notify: TOPIC }));
    template.resourceCountIs('AWS::SNS::Topic', 0);
    expect(new Set(actionsOf(template).flat())).toEqual(new Set([TOPIC]));
    expect(readContext({ notify: TOPIC }, 'eu-west-1').notify).toEqual({ topicArn: TOPIC });
    expect(() => readContext({ notify: TOPIC }, 'us-east-1')).toThrow(
      `context notify: must be the ARN of a topic in us-east-1, where the stack is deployed, because an alarm reaches no other Region, got "${TOPIC}"`,
    );
  });

  test('left out, leaves the alarms without an action', () => {
    expect(new Set(actionsOf(Template.fromStack(newStack(CANARY))))).toEqual(new Set([undefined]));
  });
});

describe('presignedReports', () => {
  const HOURS = 'a whole number of hours from 1 to 12';
  const ofFunctions = (context: Record<string, unknown>) =>
    Object.entries(Template.fromStack(newStack(context)).findResources('AWS::Lambda::Function'))
      .filter(([id]) => /PublishRun|SummariseRun/.test(id))
      .map(([, { Properties }]) => Properties.Environment.Variables.PRESIGNED_REPORT_HOURS as string);
  const policiesOf = (context: Record<string, unknown>) =>
    Object.entries(Template.fromStack(newStack(context)).findResources('AWS::IAM::Role'))
      .filter(([id]) => id.includes('PublishRun'))
      .map(([, { Properties }]) => JSON.stringify(Properties.Policies));

  test('left out, no function signs links, and publish-run cannot read reports', () => {
    expect(ofFunctions({})).toEqual(['0', '0']);
    expect(policiesOf({ notify: 'me@example.com' })).toEqual([expect.not.stringContaining('/report.html')]);
  });

  test.each([1, '12'])('of %j hours is what both functions sign for', (hours) => {
    expect(ofFunctions({ presignedReports: hours })).toEqual([String(hours), String(hours)]);
    expect(policiesOf({ presignedReports: hours, notify: 'me@example.com' })).toEqual([
      expect.stringContaining('/reports/*/report.html'),
    ]);
  });

  test.each([0, 13, 1.5, -1, '', 'true', true, '12h', [6]])('is not %j', (given) => {
    expect(() => readContext({ presignedReports: given })).toThrow(
      `context presignedReports: must be ${HOURS}, because the link ends with the session of the role that signs it`,
    );
  });
});

test.each([
  ['rate(1 minute)', 180],
  ['rate(36 hours)', 129_720],
  ['rate(7 days)', 604_920],
  ['cron(0 6 ? * MON *)', 120],
])('looks for a run that was due by %s so many seconds before', (schedule, seconds) => {
  expect(toleranceSeconds(schedule)).toBe(seconds);
});

test('there is a dashboard where there are figures to draw', () => {
  const dashboards = (context: Record<string, unknown>) =>
    Object.values(Template.fromStack(newStack(context)).findResources('AWS::CloudWatch::Dashboard')) as CfnResource[];
  expect(dashboards({})).toEqual([]);
  expect(dashboards({ metrics: 'all' })).toHaveLength(1);
  const [dashboard] = dashboards({ canarySchedule: 'rate(1 day)', canaryPlan: SMOKE_PLAN });
  const { widgets } = JSON.parse(flatten(dashboard!.Properties.DashboardBody)) as { widgets: any[] };
  const [alarms, runs, ...found] = widgets;
  expect([alarms.properties.title, alarms.width, alarms.properties.alarms.length]).toEqual(['Alarms', 24, 8]);
  const machine = ['StateMachineArn', expect.stringMatching(/^<NetworkBenchmarkStateMachine/)];
  expect(runs.properties.metrics).toEqual(
    ['Succeeded', 'Failed', 'TimedOut', 'Aborted'].map((ending) => [
      'AWS/States',
      `Executions${ending}`,
      ...machine,
      { period: 900, stat: 'Sum' },
    ]),
  );
  const rows = found.map(({ x, y, width, properties: { title, metrics } }) => {
    const [[{ expression, period }]] = metrics;
    const [, dimensions, metric] =
      /^SEARCH\('\{(\S+)\} MetricName="(\w+)" service="NetworkBenchmark"', 'Average'\)$/.exec(expression as string)!;
    return [x, y, width, period, title, metric, dimensions];
  });
  const [ofPlan, ofCell] = ['NetworkBenchmark,service,Plan', 'NetworkBenchmark,service,Client,Server,Conditions'];
  expect(rows).toEqual([
    [12, 3, 12, 900, 'Price of a run, USD', 'RunCostUsd', ofPlan],
    [0, 9, 12, 900, 'Baseline, bits per second', 'Baseline', ofCell],
    [12, 9, 12, 900, 'Burst, bits per second', 'Burst', ofCell],
    [0, 15, 12, 900, 'Throttle onset, seconds', 'ThrottleOnset', ofCell],
    [12, 15, 12, 900, 'Bucket, bits', 'Bucket', ofCell],
    [0, 21, 12, 900, 'Round trip, median, microseconds', 'RoundTripP50', ofCell],
    [12, 21, 12, 900, 'Round trip, p99, microseconds', 'RoundTripP99', ofCell],
  ]);
});

test('sets the permissions boundary of the CDK’s own context on every role', () => {
  const boundary = { '@aws-cdk/core:permissionsBoundary': { name: 'developers' } };
  const roles = Object.values(Template.fromStack(newStack(boundary)).findResources('AWS::IAM::Role'));
  expect(roles.length).toBeGreaterThan(8);
  for (const role of roles) expect(JSON.stringify(role.Properties.PermissionsBoundary)).toContain(':policy/developers');
});

describe('tags', () => {
  const templateOf = (tags: unknown, more: Record<string, unknown> = {}) =>
    Template.fromStack(newStack({ ...more, tags })).toJSON() as { Resources: Record<string, CfnResource> };
  const CANARY = { canarySchedule: 'rate(1 day)', peering: true };

  test('are tags of the stack, which CloudFormation puts on its resources, and of the launch template', () => {
    const stack = newStack({ tags: { CostCenter: '42' }, ...CANARY });
    expect(stack.tags.tagValues()).toEqual({ CostCenter: '42' });

    const resources = Template.fromStack(stack).toJSON().Resources as Record<string, CfnResource>;
    const tagged = Object.values(resources).filter((each) => JSON.stringify(each).includes('CostCenter'));
    const [planRun, launchTemplate, ...others] = tagged.sort((one, other) => (one.Type < other.Type ? 1 : -1));
    expect(planRun!.Properties.Environment.Variables.TAGS).toBe('{"CostCenter":"42"}');
    expect(launchTemplate!.Properties.TagSpecifications).toEqual([
      {
        ResourceType: 'launch-template',
        Tags: [
          { Key: 'CostCenter', Value: '42' },
          { Key: 'network-benchmark:stack', Value: 'NetworkBenchmark' },
        ],
      },
    ]);
    expect(others).toEqual([]);
  });

  test.each([
    [{ CostCenter: '42', Team: 'net work' }],
    ['CostCenter=42,Team=net work'],
    ['CostCenter=42, Team = net work'],
    ['{"CostCenter":"42","Team":"net work"}'],
  ])('are given to plan-run, from %j', (tags) => {
    const functions = Object.entries(templateOf(tags).Resources).filter(([id]) => id.startsWith('FunctionsPlanRun'));
    const [, planRun] = functions.find(([, { Type }]) => Type === 'AWS::Lambda::Function')!;

    expect(JSON.parse(planRun.Properties.Environment.Variables.TAGS)).toEqual({ CostCenter: '42', Team: 'net work' });
  });

  test.each([
    [
      { 'aws:owner': 'me' },
      'context tags["aws:owner"]: must be an object or key=value,key=value, with keys of 1 to 128',
    ],
    ['network-benchmark:stack=x', 'context tags["network-benchmark:stack"]'],
    ['Name=x', 'context tags["Name"]'],
    ['CostCenter', 'context tags["CostCenter"]'],
    ['ScaledModel=lab,RateDivisor=10', 'context tags: tag TimeDivisor: must be a number above 0 beside the tag'],
    ['CostCenter=', 'context tags["CostCenter"]'],
    ['{"CostCenter":', 'context tags: must be an object or key=value,key=value'],
    [{ CostCenter: 42 }, 'context tags["CostCenter"]'],
    [['CostCenter'], 'context tags: must be an object'],
    ['Team=a,team=b', 'context tags: must be keys that differ in more than case, which IAM ignores'],
    [Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`k${i}`, 'v'])), 'context tags: must be at most 44 tags'],
    [
      Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`k${i}`, 'v'.repeat(256)])),
      'context tags: must be at most 2000 bytes as JSON',
    ],
    // 28 characters of two bytes each, and 9 bytes of syntax and key.
    [
      Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`k${i}`, 'ü'.repeat(28)])),
      'context tags: must be at most 2000 bytes as JSON',
    ],
  ])('are refused as %j', (tags, message) => {
    expect(() => newStack({ tags })).toThrow(message);
  });
});

test.each([
  [
    { vpcId: 'vpc-1' },
    'context subnetIds: must list one subnet per entry of availabilityZones, got 0 subnet(s) for 0 zone(s)',
  ],
  [{ vpcId: 'vpc-1', subnetIds: 'subnet-1', availabilityZones: 'a,b' }, 'got 1 subnet(s) for 2 zone(s)'],
  [{ subnetIds: 'subnet-1', availabilityZones: 'a' }, 'context vpcId: must be the id of a VPC'],
  [{ peering: 'perhaps' }, 'context peering: must be true or false, got "perhaps"'],
  [
    { peering: true, vpcId: 'vpc-0', subnetIds: 'subnet-1', availabilityZones: 'a' },
    'context peering: must be false together with vpcId',
  ],
  [{ publicAddresses: 'no' }, 'context publicAddresses: must be true or false, got "no"'],
  [{ hostVpcs: 'vpc-1,any' }, 'context hostVpcs: must be the ids of VPCs, or any, got "vpc-1,any"'],
  [{ hostVpcs: ['subnet-1'] }, 'context hostVpcs: must be the ids of VPCs, or any, got ["subnet-1"]'],
  [{ imageParameters: '/*' }, 'context imageParameters: must be names of parameters of this account'],
  [{ imageParameters: '/aws/service/*' }, 'context imageParameters: must be names of parameters of this account'],
  [{ imageParameters: '/own*/image' }, 'got "/own*/image"'],
  [
    { notify: 'nobody' },
    'context notify: must be e-mail addresses, or the ARN of one SNS topic that is not a FIFO topic',
  ],
  [{ notify: 'me@example.com,arn:aws:sns:eu-west-1:123456789012:runs' }, 'context notify: must be e-mail addresses'],
  [{ notify: 'arn:aws:sns:eu-west-1:123456789012:runs.fifo' }, 'not a FIFO topic, got "arn:aws:sns:'],
  [{ notify: ['me@example.com', ''] }, 'context notify: must be a list of names'],
  [{ metrics: 'never' }, 'context metrics: must be one of scheduled, all, got "never"'],
  [{ removalPolicy: 'snapshot' }, 'context removalPolicy: must be one of retain, destroy, got "snapshot"'],
])('rejects the context %j', (context, message) => {
  expect(() => newStack(context)).toThrow(message);
});

test('rejects a schedule or a plan whose failure nobody would notice later', () => {
  const deploying = (context: object) => () => newStack(context as Record<string, unknown>);
  expect(deploying({ canarySchedule: 'daily' })).toThrow('context canarySchedule: must be a rate');
  expect(deploying({ canarySchedule: 'rate(1 day)', canaryPlan: 'no/such.json' })).toThrow(
    'context canaryPlan: must be the path of a JSON file, got no/such.json',
  );
  expect(deploying({ canarySchedule: 'rate(1 day)', canaryPlan: join(ROOT, 'package.json') })).toThrow(
    /must be a plan that can be run, got .*package\.json:\nplan\./,
  );
  expect(deploying({ canaryPlan: 'no/such.json' })).toThrow(
    'context canaryPlan: must be left out without canarySchedule, like rate(1 day), which would start the plan, ' +
      'got "no/such.json"',
  );
});

describe('wrong settings', () => {
  const refusedWith = (context: Record<string, unknown>): string[] => {
    try {
      readContext(context);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n').map((line) => line.replace(/^context (\w+).*/, '$1'));
    }
  };

  test('are refused all at once', () => {
    const wrong = {
      zones: 0,
      publicAddresses: 'nein',
      removalPolicy: 'delete',
      peering: 'yes',
      vpcId: 'mine',
      hostVpcs: 'all',
      imageParameters: 'image',
      tags: { 'aws:owner': 'me' },
      canarySchedule: 'daily',
      notify: 'me',
      metrics: 'none',
      presignedReports: 13,
    };
    expect(refusedWith(wrong).sort()).toEqual(Object.keys(wrong).sort());
  });

  test('do not lead to refusals of others that depend on them', () => {
    expect(refusedWith({ peering: true, subnetIds: 'subnet-1' })).toEqual(['vpcId']);
    expect(refusedWith({ tags: 'aws:owner=me', canarySchedule: 'rate(1 day)', canaryPlan: SMOKE_PLAN })).toEqual([
      'tags',
    ]);
  });
});
