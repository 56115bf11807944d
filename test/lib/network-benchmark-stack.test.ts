/** What the template promises: each test is a sentence of the design. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { TABLES } from '../../domain/tables/columns';
import { TOOL_MODULES } from '../../domain/tools/catalogue';
import type { CfnResource } from '../support/synth';
import { defaultTemplate, flatten, newStack, resource, resourcesOf } from '../support/synth';

const ROOT = join(__dirname, '../..');
const SMOKE_PLAN = join(ROOT, 'examples/plans/smoke.json');

describe('network', () => {
  test('has a public subnet in each of three zones, asked for at deployment', () => {
    const subnets = Object.values(resourcesOf('AWS::EC2::Subnet'));
    expect(subnets.map(({ Properties }) => Properties.AvailabilityZone)).toEqual(
      [0, 1, 2].map((index) => ({ 'Fn::Select': [index, { 'Fn::GetAZs': '' }] })),
    );
    expect(subnets.map(({ Properties }) => Properties.MapPublicIpOnLaunch)).toEqual([true, true, true]);
  });

  test('reaches S3 through its gateway endpoint and has no NAT gateway', () => {
    defaultTemplate().resourceCountIs('AWS::EC2::NatGateway', 0);
    const [endpoint] = Object.values(resourcesOf('AWS::EC2::VPCEndpoint'));
    expect(endpoint!.Properties.VpcEndpointType).toBe('Gateway');
    expect(flatten(endpoint!.Properties.ServiceName)).toMatch(/\.s3$/);
  });

  test('admits nobody to a host but the hosts', () => {
    const groups = resourcesOf('AWS::EC2::SecurityGroup');
    const [groupId] = Object.keys(groups);
    expect(Object.keys(groups)).toHaveLength(1);
    expect(groups[groupId!]!.Properties.SecurityGroupIngress).toBeUndefined();
    const rules = Object.values(resourcesOf('AWS::EC2::SecurityGroupIngress'));
    expect(rules).toHaveLength(1);
    expect(rules[0]!.Properties).toMatchObject({ IpProtocol: '-1' });
    expect(flatten(rules[0]!.Properties.SourceSecurityGroupId)).toBe(flatten(rules[0]!.Properties.GroupId));
  });

  test('spans as many zones as the context says', () => {
    Template.fromStack(newStack({ zones: '2' })).resourceCountIs('AWS::EC2::Subnet', 2);
    expect(() => newStack({ zones: 'many' })).toThrow('context zones: must be 1 to 6, got "many"');
  });

  test('is an existing one where the context names it, without a look-up', () => {
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

  test('is one network, unless peering is asked for', () => {
    defaultTemplate().resourceCountIs('AWS::EC2::VPC', 1);
    defaultTemplate().resourceCountIs('AWS::EC2::VPCPeeringConnection', 0);
    expect(
      resource('AWS::Lambda::Function', 'FunctionsPlanRun').Properties.Environment.Variables.PEERED_SUBNET_IDS,
    ).toBe('');
  });

  test('has a second one, peered, with routes both ways and hosts that admit the other’s alone', () => {
    const template = Template.fromStack(newStack({ peering: 'true' }));
    const found = (type: string) => template.findResources(type) as Record<string, CfnResource>;
    expect(Object.values(found('AWS::EC2::VPC')).map(({ Properties }) => Properties.CidrBlock)).toEqual([
      '10.0.0.0/16',
      '10.1.0.0/16',
    ]);
    template.resourceCountIs('AWS::EC2::VPCPeeringConnection', 1);
    template.resourceCountIs('AWS::EC2::VPCEndpoint', 2);
    const routes = Object.values(found('AWS::EC2::Route')).filter(
      ({ Properties }) => Properties.VpcPeeringConnectionId,
    );
    // From each of three subnets on either side to the addresses of the other.
    expect(new Set(routes.map(({ Properties }) => flatten(Properties.RouteTableId))).size).toBe(6);
    const destinations = routes.map(({ Properties }) =>
      flatten(Properties.DestinationCidrBlock).replace(/\w{8}\./, '.'),
    );
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

  test.each([
    [{ vpcId: 'vpc-1' }, 'context subnetIds: must name one public subnet per entry of availabilityZones, got 0 and 0'],
    [{ vpcId: 'vpc-1', subnetIds: 'subnet-1', availabilityZones: 'a,b' }, 'got 1 and 2'],
    [{ subnetIds: 'subnet-1', availabilityZones: 'a' }, 'context vpcId: must be the id of a VPC'],
    [{ peering: 'perhaps' }, 'context peering: must be true or false, got "perhaps"'],
    [
      { peering: true, vpcId: 'vpc-0', subnetIds: 'subnet-1', availabilityZones: 'a' },
      'context peering: must be false beside vpcId',
    ],
    [{ removalPolicy: 'snapshot' }, 'context removalPolicy: must be one of retain, destroy, got "snapshot"'],
  ])('refuses the context %j', (context, message) => {
    expect(() => newStack(context)).toThrow(message);
  });
});

describe('hosts', () => {
  const { LaunchTemplateData } = resource('AWS::EC2::LaunchTemplate', 'TestHosts').Properties;

  test('end when they shut themselves down, and take their volume with them', () => {
    expect(LaunchTemplateData.InstanceInitiatedShutdownBehavior).toBe('terminate');
    expect(LaunchTemplateData.BlockDeviceMappings[0].Ebs).toMatchObject({ DeleteOnTermination: true, Encrypted: true });
  });

  test('answer metadata requests with a token only, and know their tags', () => {
    expect(LaunchTemplateData.MetadataOptions).toMatchObject({
      HttpTokens: 'required',
      HttpPutResponseHopLimit: 1,
      InstanceMetadataTags: 'enabled',
    });
  });

  test('leave image, type and network to the launch', () => {
    for (const name of ['ImageId', 'InstanceType', 'NetworkInterfaces', 'SecurityGroupIds']) {
      expect(LaunchTemplateData).not.toHaveProperty(name);
    }
  });

  test('set themselves up with the script that lies beside the construct', () => {
    const script = readFileSync(join(ROOT, 'lib/test-hosts/user-data.sh'), 'utf8');
    const userData = LaunchTemplateData.UserData['Fn::Base64'] as string;
    const packages = [...new Set(TOOL_MODULES.flatMap((tool) => tool.packages))].sort().join(' ');
    expect(userData).toContain(`\nreadonly TOOL_PACKAGES=(${packages})\n`);
    expect(userData.replace(packages, '')).toBe(script);
    expect(Buffer.byteLength(userData)).toBeLessThan(16 * 1024);
  });

  test('may talk to Systems Manager and write below their own prefix, nothing else', () => {
    const { Policies, ManagedPolicyArns } = resource('AWS::IAM::Role', 'TestHostsHostRole').Properties;
    expect(ManagedPolicyArns).toBeUndefined();
    const statements = Policies.flatMap((policy: any) => policy.PolicyDocument.Statement) as any[];
    const services = new Set(
      statements.flatMap(({ Action }) => [Action].flat()).map((action: string) => action.split(':')[0]),
    );
    expect([...services].sort()).toEqual(['ec2messages', 's3', 'ssm', 'ssmmessages']);
    const s3 = statements.filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('s3:')));
    expect(s3.map(({ Action, Resource }) => [Action, flatten(Resource)])).toEqual([
      ['s3:PutObject', expect.stringMatching(/^<ResultStore.*\/raw\/\$\{aws:userid\}\/\*$/)],
      [['s3:GetObject', 's3:PutObject'], expect.stringMatching(/^<PayloadStore.*\/payload\/\$\{aws:userid\}\/\*$/)],
    ]);
  });
});

describe('store', () => {
  const bucket = resource('AWS::S3::Bucket', 'ResultStoreBucket');

  test('is private, encrypted, and outlives the stack unless the context says otherwise', () => {
    expect(bucket.DeletionPolicy).toBe('Retain');
    expect(Object.values(bucket.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    expect(bucket.Properties.BucketEncryption).toBeDefined();
    const buckets = Template.fromStack(newStack({ removalPolicy: 'destroy' })).findResources('AWS::S3::Bucket');
    for (const passing of Object.values(buckets)) expect(passing.DeletionPolicy).toBe('Delete');
  });

  test('answers over TLS only', () => {
    const { Statement } = resource('AWS::S3::BucketPolicy', 'ResultStoreBucket').Properties.PolicyDocument;
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });

  test('forgets raw lines, live samples and query results after their time, and no row', () => {
    const rules = bucket.Properties.LifecycleConfiguration.Rules as any[];
    const expirations = Object.fromEntries(
      rules.filter((rule) => rule.Prefix).map((rule) => [rule.Prefix, rule.ExpirationInDays]),
    );
    expect(expirations).toEqual({ 'raw/': 90, 'live_samples/': 3, 'athena-results/': 7 });
  });

  test('tells EventBridge of every object by the native property', () => {
    expect(bucket.Properties.NotificationConfiguration.EventBridgeConfiguration).toEqual({ EventBridgeEnabled: true });
  });

  test('has a table for each of the columns’ tables, projected by day', () => {
    const tables = Object.values(resourcesOf('AWS::Glue::Table')).map(({ Properties }) => Properties.TableInput);
    expect(tables.map(({ Name }) => Name).sort()).toEqual(Object.keys(TABLES).sort());
    for (const table of tables) {
      expect(table.StorageDescriptor.Columns).toEqual(
        TABLES[table.Name as keyof typeof TABLES].columns.map(({ name, type, comment }) => ({
          Name: name,
          Type: type,
          Comment: comment,
        })),
      );
      expect(table.PartitionKeys).toEqual([expect.objectContaining({ Name: 'day', Type: 'string' })]);
      expect(table.Parameters).toMatchObject({
        'projection.enabled': 'true',
        'projection.day.type': 'date',
        'projection.day.range': '2026-01-01,NOW',
      });
      expect(flatten(table.Parameters['storage.location.template'])).toMatch(
        new RegExp(`/${table.Name}/day=\\$\\{day\\}/$`),
      );
    }
  });

  test('has queries that end at a limit and leave their results in one place', () => {
    const { WorkGroupConfiguration } = resource('AWS::Athena::WorkGroup', 'ResultStore').Properties;
    expect(WorkGroupConfiguration).toMatchObject({ EnforceWorkGroupConfiguration: true });
    expect(WorkGroupConfiguration.BytesScannedCutoffPerQuery).toBeGreaterThan(10_000_000);
    expect(flatten(WorkGroupConfiguration.ResultConfiguration.OutputLocation)).toMatch(/\/athena-results\/$/);
  });

  test('keeps what is transferred to measure S3 in a bucket of its own, for a day, over http too', () => {
    const payload = resource('AWS::S3::Bucket', 'PayloadStoreBucket');
    expect(payload.DeletionPolicy).toBe('Delete');
    expect(payload.Properties.LifecycleConfiguration.Rules).toContainEqual(
      expect.objectContaining({ Prefix: 'payload/', ExpirationInDays: 1 }),
    );
    expect(Object.values(payload.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const policies = Object.keys(resourcesOf('AWS::S3::BucketPolicy'));
    expect(policies.filter((id) => id.startsWith('PayloadStore'))).toEqual([]);
  });

  test('offers every file of queries/ as a named query', () => {
    const queries = Object.values(resourcesOf('AWS::Athena::NamedQuery')).map(({ Properties }) => Properties);
    const files = readdirSync(join(ROOT, 'queries')).filter((file) => file.endsWith('.sql'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(queries.map(({ Name }) => `${Name}.sql`).sort()).toEqual(files.sort());
    for (const query of queries) expect(query.Description).toMatch(/\w{3}/);
  });
});

describe('functions', () => {
  const functions = Object.entries(resourcesOf('AWS::Lambda::Function'));

  test('are one per handler', () => {
    const handlers = readdirSync(join(ROOT, 'lambdas'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('handler.ts'),
    );
    expect(functions).toHaveLength(handlers.length);
    const ids = handlers.map((file) =>
      file.split('/')[0]!.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    for (const id of ids)
      expect(functions.filter(([logicalId]) => logicalId.startsWith(`Functions${id}`))).toHaveLength(1);
  });

  test('run on arm64, each with a role and a log of its own that expires', () => {
    for (const [, { Properties }] of functions) {
      expect(Properties.Architectures).toEqual(['arm64']);
      expect(Properties.Runtime).toBe('nodejs24.x');
      expect(Properties.Timeout).toBeGreaterThan(3);
    }
    const own = (name: 'Role' | 'LoggingConfig') =>
      new Set(functions.map(([, { Properties }]) => JSON.stringify(Properties[name])));
    expect(own('Role').size).toBe(functions.length);
    expect(own('LoggingConfig').size).toBe(functions.length);
    for (const log of Object.values(resourcesOf('AWS::Logs::LogGroup')))
      expect(log.Properties.RetentionInDays).toBeGreaterThan(0);
  });
});

describe('operations', () => {
  const ruleOf = (id: string) => resource('AWS::Events::Rule', `Operations${id}`).Properties;

  test('reap an execution that ended badly: at once, after one minute and after five', () => {
    const rule = ruleOf('ExecutionEndedBadly');
    expect(rule.EventPattern.detail.status).toEqual(['ABORTED', 'TIMED_OUT', 'FAILED']);
    expect(rule.EventPattern.detail.stateMachineArn.map(flatten)).toEqual([
      expect.stringMatching(/:stateMachine:NetworkBenchmark-network-benchmark$/),
      expect.stringMatching(/:stateMachine:NetworkBenchmark-pair-benchmark$/),
    ]);
    const targets = rule.Targets.map(({ Arn }: any) => flatten(Arn)) as string[];
    expect(targets[0]).toMatch(/^<FunctionsReapRun/);
    const delays = targets
      .slice(1)
      .map((arn) => resource('AWS::SQS::Queue', arn.slice(1, arn.indexOf('.'))).Properties.DelaySeconds);
    expect(delays).toEqual([60, 300]);
    expect(Object.values(resourcesOf('AWS::Lambda::EventSourceMapping'))).toHaveLength(2);
  });

  test('name state machines whose names those ARNs were made of', () => {
    const names = Object.values(resourcesOf('AWS::StepFunctions::StateMachine')).map(
      ({ Properties }) => Properties.StateMachineName,
    );
    expect(names.sort()).toEqual(['NetworkBenchmark-network-benchmark', 'NetworkBenchmark-pair-benchmark']);
  });

  test('ingest each raw chunk as it arrives', () => {
    expect(ruleOf('ChunkArrived').EventPattern).toMatchObject({
      source: ['aws.s3'],
      detail: { object: { key: [{ prefix: 'raw/' }] } },
    });
  });

  test('sweep every quarter of an hour', () => {
    expect(ruleOf('SweepSchedule').ScheduleExpression).toBe('rate(15 minutes)');
  });

  test('start nothing by themselves', () => {
    defaultTemplate().resourceCountIs('AWS::Scheduler::Schedule', 0);
  });

  test('start the canary’s plan where the context gives a schedule, with a role that can do that alone', () => {
    const template = Template.fromStack(newStack({ canarySchedule: 'rate(1 day)', canaryPlan: SMOKE_PLAN }));
    const [schedule] = Object.values(template.findResources('AWS::Scheduler::Schedule')) as CfnResource[];
    const { ScheduleExpression, FlexibleTimeWindow, Target } = schedule!.Properties;
    expect([ScheduleExpression, FlexibleTimeWindow.Mode]).toEqual(['rate(1 day)', 'OFF']);
    expect(JSON.parse(Target.Input)).toEqual(JSON.parse(readFileSync(SMOKE_PLAN, 'utf8')));
    expect(flatten(Target.Arn)).toMatch(/^<NetworkBenchmarkStateMachine/);
    expect(flatten(Target.DeadLetterConfig.Arn)).toMatch(/^<OperationsUndeliveredEvents/);
    const roleId = flatten(Target.RoleArn).replace(/^<(\w+)\.Arn>$/, '$1');
    const role = (template.findResources('AWS::IAM::Role') as Record<string, CfnResource>)[roleId]!;
    const statements = role.Properties.Policies.flatMap((policy: any) => policy.PolicyDocument.Statement) as any[];
    expect(statements.map(({ Action, Resource }) => [Action, flatten(Resource)])).toEqual([
      ['states:StartExecution', flatten(Target.Arn)],
      ['sqs:SendMessage', flatten(Target.DeadLetterConfig.Arn)],
    ]);
  });

  test('refuse a schedule or a plan that would fail unseen', () => {
    const refused = (context: object) => () => newStack(context as Record<string, unknown>);
    expect(refused({ canarySchedule: 'daily' })).toThrow('context canarySchedule: must be a rate');
    expect(refused({ canarySchedule: 'rate(1 day)', canaryPlan: 'no/such.json' })).toThrow(
      'context canaryPlan: must be the path of a JSON file, got no/such.json',
    );
    expect(refused({ canarySchedule: 'rate(1 day)', canaryPlan: join(ROOT, 'package.json') })).toThrow(
      /must be a plan that can be run, got .*package\.json:\nplan\./,
    );
  });

  test('raise alarms that lead to their article in the runbook', () => {
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const articles = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
    const alarms = Object.values(resourcesOf('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties.AlarmDescription as string,
    );
    const linked = alarms.map((description) => /docs\/runbook\.md#([a-z-]+)$/.exec(description)?.[1]);
    expect(linked.sort()).toEqual(['events-not-delivered', 'orphans-found', 'reaper-errors', 'sweeper-errors']);
    for (const article of linked) expect(articles).toContain(article);
  });
});

test('deploys no custom resource and fits CloudFormation’s megabyte', () => {
  const types = Object.values(defaultTemplate().toJSON().Resources as Record<string, { Type: string }>).map(
    ({ Type }) => Type,
  );
  expect(types.filter((type) => type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource')).toEqual(
    [],
  );
  expect(JSON.stringify(defaultTemplate().toJSON()).length).toBeLessThan(1_000_000);
});

test('lets a permissions boundary be set by the CDK’s own context', () => {
  const boundary = { '@aws-cdk/core:permissionsBoundary': { name: 'developers' } };
  const roles = Object.values(Template.fromStack(newStack(boundary)).findResources('AWS::IAM::Role'));
  expect(roles.length).toBeGreaterThan(8);
  for (const role of roles) expect(JSON.stringify(role.Properties.PermissionsBoundary)).toContain(':policy/developers');
});

test('tells where to start a run and where its results are', () => {
  const outputs = Object.keys(defaultTemplate().findOutputs('*'));
  expect(outputs).toEqual(
    expect.arrayContaining([
      'RunStateMachineArn',
      'PairStateMachineArn',
      'RunConsole',
      'BucketName',
      'WorkgroupName',
      'DatabaseName',
    ]),
  );
});
