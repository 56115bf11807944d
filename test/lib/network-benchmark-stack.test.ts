/** What the template promises when it is deployed without context; `context.test.ts` has the variants. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { TABLES } from '../../domain/tables/columns';
import { VIEWS } from '../../domain/tables/views';
import { TOOL_MODULES } from '../../domain/tools/catalogue';
import type { CfnResource } from '../support/synth';
import { defaultTemplate, definition, evaluate, flatten, newStack, resource, resourcesOf } from '../support/synth';

const ROOT = join(__dirname, '../..');

describe('network', () => {
  test.each([
    [
      ['us-east-1a', 'us-east-1b', 'us-east-1c', 'us-east-1d'],
      ['us-east-1a', 'us-east-1b', 'us-east-1c'],
    ],
    [
      ['us-west-1a', 'us-west-1c'],
      ['us-west-1a', 'us-west-1c', 'us-west-1a'],
    ],
    [['eu-west-1b'], ['eu-west-1b', 'eu-west-1b', 'eu-west-1b']],
  ])('has three public subnets; where Fn::GetAZs lists %j, they are in %j', (listed, zones) => {
    const subnets = Object.values(resourcesOf('AWS::EC2::Subnet'));
    expect(subnets.map(({ Properties }) => evaluate(Properties.AvailabilityZone, listed))).toEqual(zones);
    expect(subnets.map(({ Properties }) => Properties.MapPublicIpOnLaunch)).toEqual([true, true, true]);
  });

  test('reaches S3 through its gateway endpoint and has no NAT gateway', () => {
    defaultTemplate().resourceCountIs('AWS::EC2::NatGateway', 0);
    const [endpoint] = Object.values(resourcesOf('AWS::EC2::VPCEndpoint'));
    expect(endpoint!.Properties.VpcEndpointType).toBe('Gateway');
    expect(flatten(endpoint!.Properties.ServiceName)).toMatch(/\.s3$/);
  });

  test('admits only hosts to a host', () => {
    const groups = resourcesOf('AWS::EC2::SecurityGroup');
    const [groupId] = Object.keys(groups);
    expect(Object.keys(groups)).toHaveLength(1);
    expect(groups[groupId!]!.Properties.SecurityGroupIngress).toBeUndefined();
    const rules = Object.values(resourcesOf('AWS::EC2::SecurityGroupIngress'));
    expect(rules).toHaveLength(1);
    expect(rules[0]!.Properties).toMatchObject({ IpProtocol: '-1' });
    expect(flatten(rules[0]!.Properties.SourceSecurityGroupId)).toBe(flatten(rules[0]!.Properties.GroupId));
  });

  test('is a single network without peering', () => {
    defaultTemplate().resourceCountIs('AWS::EC2::VPC', 1);
    defaultTemplate().resourceCountIs('AWS::EC2::VPCPeeringConnection', 0);
    expect(
      resource('AWS::Lambda::Function', 'FunctionsPlanRun').Properties.Environment.Variables.PEERED_SUBNET_IDS,
    ).toBe('');
  });
});

describe('hosts', () => {
  const { LaunchTemplateData } = resource('AWS::EC2::LaunchTemplate', 'TestHosts').Properties;

  test('are terminated when they shut themselves down', () => {
    expect(LaunchTemplateData.InstanceInitiatedShutdownBehavior).toBe('terminate');
  });

  test('answer metadata requests only with a token, and can read their own tags', () => {
    expect(LaunchTemplateData.MetadataOptions).toMatchObject({
      HttpTokens: 'required',
      HttpPutResponseHopLimit: 1,
      InstanceMetadataTags: 'enabled',
    });
  });

  test('get their image, type and network only at the launch', () => {
    for (const name of ['ImageId', 'InstanceType', 'NetworkInterfaces', 'SecurityGroupIds']) {
      expect(LaunchTemplateData).not.toHaveProperty(name);
    }
  });

  test('run user-data.sh at their first boot, with the programs of the tools filled in', () => {
    const script = readFileSync(join(ROOT, 'lib/test-hosts/user-data.sh'), 'utf8');
    const userData = LaunchTemplateData.UserData['Fn::Base64'] as string;
    const programs = TOOL_MODULES.flatMap((tool) => Object.entries(tool.programs).map((program) => program.join('=')));
    const listed = [...new Set(programs)].sort().join(' ');
    expect(userData).toContain(`\nreadonly TOOL_PROGRAMS=(${listed})\n`);
    expect(userData.replace(listed, '')).toBe(script);
    expect(Buffer.byteLength(userData)).toBeLessThan(16 * 1024);
  });

  test('may only exchange messages with Systems Manager and access objects below their own prefix', () => {
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

  test('is private and encrypted, and is kept when the stack is deleted', () => {
    // The exception is a first deployment that fails, which leaves nothing.
    expect(bucket).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(Object.values(bucket.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    expect(bucket.Properties.BucketEncryption).toBeDefined();
  });

  test('rejects requests without TLS', () => {
    const { Statement } = resource('AWS::S3::BucketPolicy', 'ResultStoreBucket').Properties.PolicyDocument;
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });

  test('expires raw streams, live rows and query results, and never expires rows of a run that has ended', () => {
    const rules = bucket.Properties.LifecycleConfiguration.Rules as any[];
    const expirations = Object.fromEntries(
      rules.filter((rule) => rule.Prefix).map((rule) => [rule.Prefix, rule.ExpirationInDays]),
    );
    expect(expirations).toEqual({
      'raw/': 90,
      'live_samples/': 3,
      'live_measurements/': 61,
      'athena-results/': 7,
    });
  });

  test('sends events to EventBridge without a custom resource', () => {
    expect(bucket.Properties.NotificationConfiguration.EventBridgeConfiguration).toEqual({ EventBridgeEnabled: true });
  });

  const glueTables = (type: string) =>
    Object.values(resourcesOf('AWS::Glue::Table'))
      .map(({ Properties }) => Properties.TableInput)
      .filter(({ TableType }) => TableType === type);

  /** What a table is partitioned by: the projection of each partition, in the order of the object's key. */
  const DAY = { day: { type: 'date', format: 'yyyy-MM-dd', range: '2026-01-01,NOW' } };
  const METRIC = {
    metric: {
      type: 'enum',
      values: 'throughput,sent_throughput,stream_throughput,interface,allowance,round_trip,tool_cpu,packets',
    },
  };
  const MONTH = {
    year: { type: 'date', format: 'yyyy', range: '2026,NOW+366DAYS', interval: '366', 'interval.unit': 'DAYS' },
    month_of_year: { type: 'enum', values: '01,02,03,04,05,06,07,08,09,10,11,12' },
  };
  const PARTITIONS: Record<string, Record<string, Record<string, string>>> = {
    ...Object.fromEntries(['runs', 'pairs', 'measurements'].map((name) => [`closed_${name}`, MONTH])),
    closed_months: {},
    samples: { ...METRIC, ...DAY },
    live_samples: { ...DAY, run_id: { type: 'injected' } },
    measurement_samples: { run_id: { type: 'injected' }, measurement_id: { type: 'injected' } },
  };

  test('has a Glue table for each table of the columns, with its partitions', () => {
    const tables = glueTables('EXTERNAL_TABLE');
    expect(tables.map(({ Name }) => Name).sort()).toEqual(Object.keys(TABLES).sort());
    for (const table of tables) {
      expect(table.StorageDescriptor.Columns).toEqual(
        TABLES[table.Name as keyof typeof TABLES].columns.map(({ name, type }) => ({ Name: name, Type: type })),
      );
      const partitions = PARTITIONS[table.Name] ?? DAY;
      expect(table.PartitionKeys.map(({ Name, Type }: any) => [Name, Type])).toEqual(
        Object.keys(partitions).map((name) => [name, name === 'day' ? 'date' : 'string']),
      );
      const format = partitions === MONTH ? 'parquet' : 'json';
      expect(table.StorageDescriptor.SerdeInfo.SerializationLibrary.toLowerCase()).toContain(format);
      const projections = Object.entries(partitions).flatMap(([name, projection]) =>
        Object.entries(projection).map(([key, value]) => [`projection.${name}.${key}`, value]),
      );
      expect(table.Parameters).toEqual({
        EXTERNAL: 'TRUE',
        classification: format,
        ...(projections.length === 0
          ? {}
          : { 'projection.enabled': 'true', 'storage.location.template': expect.anything() }),
        ...Object.fromEntries(projections),
      });
      const isClosed = partitions === MONTH;
      const folders = isClosed
        ? ['month=${year}-${month_of_year}/']
        : Object.keys(partitions).map((n) => `${n}=\${${n}}/`);
      const template = flatten(table.Parameters['storage.location.template'] ?? table.StorageDescriptor.Location);
      const prefix = table.Name.replace('open_', '').replace(/^closed_(?!months)/, 'closed/');
      expect(template.endsWith(`/${prefix}/${folders.join('')}`)).toBe(true);
    }
  });

  test('limits what a query scans and stores all query results under one prefix', () => {
    const { WorkGroupConfiguration } = resource('AWS::Athena::WorkGroup', 'ResultStore').Properties;
    expect(WorkGroupConfiguration).toMatchObject({ EnforceWorkGroupConfiguration: true });
    expect(WorkGroupConfiguration.BytesScannedCutoffPerQuery).toBeGreaterThan(10_000_000);
    expect(flatten(WorkGroupConfiguration.ResultConfiguration.OutputLocation)).toMatch(/\/athena-results\/$/);
  });

  test('keeps the payload of S3 measurements for a day, in a separate bucket that plain http can reach', () => {
    const payload = resource('AWS::S3::Bucket', 'PayloadStoreBucket');
    expect(payload.DeletionPolicy).toBe('Delete');
    expect(payload.Properties.LifecycleConfiguration.Rules).toContainEqual(
      expect.objectContaining({ Prefix: 'payload/', ExpirationInDays: 1 }),
    );
    expect(Object.values(payload.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const policies = Object.keys(resourcesOf('AWS::S3::BucketPolicy'));
    expect(policies.filter((id) => id.startsWith('PayloadStore'))).toEqual([]);
  });

  /** A column of each view whose type has another name in Trino than in Glue. */
  const TYPES: Record<string, [name: string, type: string]> = {
    runs: ['plan_name', 'varchar'],
    answers: ['position', 'bigint'],
    pairs: ['pair_id', 'varchar'],
    measurements: ['witnesses', 'array(row("name" varchar,"agrees" boolean,"detail" varchar))'],
    verdicts: ['started_at', 'timestamp(3)'],
    series: ['at', 'timestamp(3)'],
    measurement_series: ['second', 'bigint'],
  };

  test('stores every file of views/ as a view, in the form in which Athena stores its own', () => {
    const views = glueTables('VIRTUAL_VIEW');
    const files = readdirSync(join(ROOT, 'views'));
    expect(views.map(({ Name }) => `${Name}.sql`).sort()).toEqual(files.sort());
    for (const view of views) {
      expect(view).toMatchObject({
        Description: 'Presto View',
        Parameters: { presto_view: 'true', comment: 'Presto View' },
        ViewExpandedText: '/* Presto View */',
      });
      const [, code] = /^\/\* Presto View: ([A-Za-z0-9+/]+=*) \*\/$/.exec(view.ViewOriginalText) ?? [];
      const stored = JSON.parse(Buffer.from(code!, 'base64').toString('utf8'));
      expect(stored).toMatchObject({ catalog: 'awsdatacatalog', schema: 'network_benchmark', runAsInvoker: true });
      const lines = readFileSync(join(ROOT, 'views', `${view.Name}.sql`), 'utf8').split('\n');
      const statement = lines.map((line) => line.trimStart()).filter((line) => !line.startsWith('--'));
      // A comment behind a line would swallow what follows it.
      expect(statement.join(' ')).not.toContain('--');
      expect(stored.originalSql).toBe(statement.join(' ').trim());
      const declared = VIEWS[view.Name as keyof typeof VIEWS].columns;
      expect(view.StorageDescriptor.SerdeInfo).toBeDefined();
      expect(view.StorageDescriptor.Columns).toEqual(declared.map(({ name, type }) => ({ Name: name, Type: type })));
      expect(stored.columns.map(({ name }: { name: string }) => name)).toEqual(declared.map(({ name }) => name));
      expect(stored.columns).toContainEqual({ name: 'run_id', type: 'varchar' });
      const [name, type] = TYPES[view.Name] ?? [];
      expect(stored.columns).toContainEqual({ name, type });
    }
  });

  test('saves every file of queries/ as a named query', () => {
    const queries = Object.values(resourcesOf('AWS::Athena::NamedQuery')).map(({ Properties }) => Properties);
    const files = readdirSync(join(ROOT, 'queries')).filter((file) => file.endsWith('.sql'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(queries.map(({ Name }) => `${Name}.sql`).sort()).toEqual(files.sort());
    for (const query of queries) expect(query.Description).toMatch(/\w{3}/);
  });
});

describe('functions', () => {
  const functions = Object.entries(resourcesOf('AWS::Lambda::Function'));

  test('exist once per handler', () => {
    // Its handler is there only where runs start by a schedule.
    const withoutSchedule = ['check-schedule'];
    const handlers = readdirSync(join(ROOT, 'lambdas'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('handler.ts'))
      .filter((file) => !withoutSchedule.includes(file.split('/')[0]!));
    expect(functions).toHaveLength(handlers.length);
    const ids = handlers.map((file) =>
      file.split('/')[0]!.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    for (const id of ids) expect(functions.filter(([logicalId]) => logicalId.includes(`${id}Handler`))).toHaveLength(1);
  });

  test('run on arm64, each with its own role and its own log that expires', () => {
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

  test('start reap-run at once, after one minute and after five minutes when an execution has ended badly', () => {
    const rule = ruleOf('ExecutionEndedBadly');
    expect(rule.EventPattern.detail.status).toEqual(['ABORTED', 'TIMED_OUT', 'FAILED']);
    expect(rule.EventPattern.detail.stateMachineArn.map(flatten)).toEqual([
      expect.stringMatching(/:stateMachine:NetworkBenchmark-network-benchmark$/),
      expect.stringMatching(/:stateMachine:NetworkBenchmark-pair-benchmark$/),
    ]);
    const targets = rule.Targets.map(({ Arn }: any) => flatten(Arn)) as string[];
    expect(targets[0]).toMatch(/^<FunctionsReapRun/);
    expect(targets.slice(1)).toEqual([expect.stringMatching(/^<OperationsLaterLooksStateMachine\w+>$/)]);
    const { StartAt, States } = definition('OperationsLaterLooks');
    const pauses = Object.values(States).map(({ Type, Seconds }) => (Type === 'Wait' ? Seconds : 'look'));
    expect(StartAt).toBe('One minute');
    expect(pauses).toEqual([60, 'look', 240, 'look']);
    const look = States['Look after one minute']!;
    expect(look.Arguments.Payload).toEqual({ laterLookAt: '{% $event %}' });
    expect([look.Next, look.Catch?.map(({ Next }) => Next)]).toEqual([
      'Until five minutes after',
      ['Until five minutes after'],
    ]);
  });

  test('have nobody poll a queue while nothing runs', () => {
    defaultTemplate().resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
  });

  test('refer to state machines by the names that the machines have', () => {
    const names = Object.values(resourcesOf('AWS::StepFunctions::StateMachine')).map(
      ({ Properties }) => Properties.StateMachineName,
    );
    expect(names.sort()).toEqual(
      ['later-looks', 'network-benchmark', 'pair-benchmark'].map((name) => `NetworkBenchmark-${name}`),
    );
  });

  test('start ingest-chunk for each raw chunk that arrives', () => {
    expect(ruleOf('ChunkArrived').EventPattern).toMatchObject({
      source: ['aws.s3'],
      detail: { object: { key: [{ prefix: 'raw/' }] } },
    });
  });

  test('start publish-run at the end of a run too, as S3 would by an event about its report', () => {
    const { EventPattern, Targets } = ruleOf('RunEnded');
    expect(EventPattern).toEqual({
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: {
        status: ['SUCCEEDED', 'FAILED'],
        stateMachineArn: [expect.anything()],
        error: [null, { exists: false }, { 'anything-but': ['RunIdTakenError'] }],
      },
    });
    expect(EventPattern.detail.stateMachineArn.map(flatten)).toEqual([
      expect.stringMatching(/:stateMachine:NetworkBenchmark-network-benchmark$/),
    ]);
    const [{ Arn, InputTransformer }] = Targets;
    expect(flatten(Arn)).toMatch(/^<FunctionsPublishRun/);
    expect(InputTransformer.InputPathsMap).toEqual({ id: '$.id', 'detail-name': '$.detail.name' });
    expect(flatten(InputTransformer.InputTemplate)).toMatch(
      /^\{"id":<id>,"detail":\{"bucket":\{"name":"<ResultStoreBucket\w+>"\},"object":\{"key":"reports\/<detail-name>\/report.html"\}\}\}$/,
    );
  });

  test('start sweep-orphans every 15 minutes', () => {
    expect(ruleOf('SweepSchedule').ScheduleExpression).toBe('rate(15 minutes)');
  });

  test('have no schedule that starts runs', () => {
    defaultTemplate().resourceCountIs('AWS::Scheduler::Schedule', 0);
  });

  test('have alarms that each name an article of the runbook', () => {
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const articles = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
    const linkedBy = (template: Template) =>
      (Object.values(template.findResources('AWS::CloudWatch::Alarm')) as CfnResource[])
        .map(({ Properties }) => /docs\/runbook\.md#([a-z-]+)$/.exec(Properties.AlarmDescription as string)?.[1])
        .sort();
    const always = ['events-not-delivered', 'orphans-found', 'publisher-errors', 'reaper-errors', 'sweeper-errors'];
    expect(linkedBy(defaultTemplate())).toEqual(always);
    const ofScheduledRuns = ['figures-changed', 'scheduled-run-failed', 'scheduled-run-not-started'];
    const linked = linkedBy(Template.fromStack(newStack({ canarySchedule: 'rate(1 day)' })));
    expect(linked).toEqual([...always, ...ofScheduledRuns].sort());
    for (const article of linked) expect(articles).toContain(article);
  });

  test('alarm at the first thing that went wrong, and not where nothing is known', () => {
    const alarms = Template.fromStack(newStack({ canarySchedule: 'rate(1 day)' })).findResources(
      'AWS::CloudWatch::Alarm',
    );
    for (const { Properties } of Object.values(alarms) as CfnResource[]) {
      expect(Properties).toMatchObject({
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        EvaluationPeriods: 1,
        TreatMissingData: 'notBreaching',
      });
    }
  });

  test('look a quarter of an hour after a run was due whether one has started', () => {
    const template = Template.fromStack(newStack({ canarySchedule: 'rate(1 day)' }));
    const ofPrefix = (type: string, prefix: string) =>
      Object.entries(template.findResources(type)).filter(([id]) => id.startsWith(prefix));
    const [[queueId, queue] = []] = ofPrefix('AWS::SQS::Queue', 'OperationsCanaryDueQueue');
    expect((queue as CfnResource).Properties.DelaySeconds).toBe(900);
    const [[, source] = []] = ofPrefix('AWS::Lambda::EventSourceMapping', 'OperationsCanaryDueSource');
    expect(flatten((source as CfnResource).Properties.EventSourceArn)).toBe(`<${queueId}.Arn>`);
  });
});

describe('state machines', () => {
  const machine = (idPrefix: string) => resource('AWS::StepFunctions::StateMachine', idPrefix).Properties;

  test('log under the prefix that needs no entry in the resource policy of the account', () => {
    const names = Object.values(resourcesOf('AWS::Logs::LogGroup')).map(
      ({ Properties }) => Properties.LogGroupName as unknown,
    );
    expect(names.filter((name) => name !== undefined)).toEqual([
      '/aws/vendedlogs/states/NetworkBenchmark-pair-benchmark',
      '/aws/vendedlogs/states/NetworkBenchmark-network-benchmark',
      '/aws/vendedlogs/states/NetworkBenchmark-later-looks',
    ]);
  });

  test('invoke each handler again that crashed, timed out or was not answered', () => {
    type States = Record<string, { Resource?: string; Retry?: readonly { ErrorEquals: readonly string[] }[] }>;
    for (const idPrefix of ['PairBenchmark', 'NetworkBenchmark']) {
      const { States } = JSON.parse(flatten(machine(idPrefix).DefinitionString)) as { States: States };
      const invoking = Object.values(States).filter(({ Resource }) => Resource?.endsWith(':lambda:invoke'));
      expect(invoking.length).toBeGreaterThan(1);
      for (const { Retry = [] } of invoking) {
        expect(Retry.flatMap(({ ErrorEquals }) => ErrorEquals)).toEqual(
          expect.arrayContaining(['PassingError', 'Runtime.ExitError', 'Sandbox.Timedout']),
        );
      }
    }
  });

  test('end a pair whose hosts are not gone without waiting for its data path, so that the reaper starts', () => {
    const { States } = JSON.parse(flatten(machine('PairBenchmark').DefinitionString)) as {
      States: Record<string, { Next?: string }>;
    };
    expect(States['Tear down pair: failed']?.Next).toBe('Measured everything?');
    expect(States['Disconnect pair: failed']?.Next).toBe('Measured everything?');
  });

  test('link a run with the executions of its pairs', () => {
    const definition = flatten(machine('NetworkBenchmark').DefinitionString);
    expect(definition).toContain('"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID":"{% $states.context.Execution.Id %}"');
  });

  test('name only what is deployed with them, so that a run in flight goes on as it began after another deployment', () => {
    const versions = Object.keys(resourcesOf('AWS::Lambda::Version'));
    expect(versions).toHaveLength(6);
    const definitions = (['PairBenchmark', 'NetworkBenchmark'] as const).map((name) =>
      flatten(machine(name).DefinitionString),
    );
    const called = definitions.flatMap((text) => [...text.matchAll(/"FunctionName":"<(\w+)>"/g)].map(([, id]) => id));
    expect([...new Set(called)].sort()).toEqual(versions.sort());
    expect(definitions[1]).toMatch(/"StateMachineArn":"<PairBenchmarkVersion\w*\.Arn>"/);
    expect(definitions.join('')).not.toContain('$LATEST');
    const kept = [...Object.values(resourcesOf('AWS::Lambda::Version'))];
    kept.push(...Object.values(resourcesOf('AWS::StepFunctions::StateMachineVersion')));
    expect(kept.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(7).fill('RetainExceptOnCreate'));
  });
});

test('has two custom resources, which find versions and empty buckets, and stays below CloudFormation’s limit of one megabyte', () => {
  const resources = Object.values(defaultTemplate().toJSON().Resources as Record<string, CfnResource>);
  const custom = resources.filter(({ Type }) => /^Custom::|^AWS::CloudFormation::CustomResource$/.test(Type));
  expect(custom.map(({ Properties }) => flatten(Properties.ServiceToken))).toEqual([
    expect.stringMatching(/^<MeasurementDocumentsFindDocumentVersionsHandler\w+\.Arn>$/),
    expect.stringMatching(/^<EmptiedBucketsEmptyBucketsHandler\w+\.Arn>$/),
  ]);
  expect(JSON.stringify(defaultTemplate().toJSON()).length).toBeLessThan(1_000_000);
});

test.each([{}, { removalPolicy: 'destroy', canarySchedule: 'rate(1 day)', notify: 'me@example.com' }])(
  'keeps nothing of a first deployment that fails, with %j',
  (context) => {
    const resources = Object.values(
      Template.fromStack(newStack(context)).toJSON().Resources as object,
    ) as CfnResource[];
    // A version goes with its function or state machine.
    const owners = resources.filter(({ Type }) => !Type.endsWith('Version'));
    const policies = new Set(owners.map(({ DeletionPolicy = 'Delete' }) => DeletionPolicy));
    expect([...policies].sort()).toEqual(context.removalPolicy ? ['Delete'] : ['Delete', 'RetainExceptOnCreate']);
  },
);

test.each(['AWS::SSM::Document', 'AWS::Athena::NamedQuery'])(
  'is deployed with at most five of %s at the same time, whose service throttles more',
  (type) => {
    const waiting = new Map(
      Object.entries(resourcesOf(type)).map(([id, { DependsOn = [] }]) => [id, [DependsOn].flat()]),
    );
    expect(waiting.size).toBeGreaterThan(10);
    const rounds: number[] = [];
    while (waiting.size > 0) {
      const ready = [...waiting].filter(([, before]) => !before.some((id) => waiting.has(id))).map(([id]) => id);
      for (const id of ready) waiting.delete(id);
      rounds.push(ready.length);
      expect(ready.length).toBeGreaterThan(0);
    }
    expect(Math.max(...rounds)).toBe(5);
  },
);

test('outputs where to start a run and where its results are, each with a description', () => {
  const outputs = defaultTemplate().findOutputs('*');
  for (const output of Object.values(outputs)) expect(output.Description).toMatch(/\w{3}/);
  expect(Object.keys(outputs)).toEqual(
    expect.arrayContaining([
      'RunStateMachineArn',
      'PairStateMachineArn',
      'RunConsole',
      'Zones',
      'BucketName',
      'WorkgroupName',
      'DatabaseName',
    ]),
  );
});
