/** What the stack costs while nothing runs, derived from its template, as docs/reporting.md and README.md say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { Template } from 'aws-cdk-lib/assertions';
import { type CfnResource, flatten, newStack } from '../support/synth';

/** us-east-1's list prices, November 2026, without free tiers (pricing pages of each service). */
const USD = {
  alarmMonth: 0.1,
  dashboardMonth: 3,
  ruleInvocation: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** On arm64. */
  lambdaGibibyteSecond: 0.0000133334,
  logByte: 0.5 / 1e9,
  sqsRequest: 0.4 / 1e6,
};
const MONTH_SECONDS = 730 * 3600;
/**
 * A sweep that finds nothing, or a closing without new rows, makes some ten calls, and is a cold start each time.
 * Assumed: its log has the real one.
 */
const SWEEP_SECONDS = 3;
const SWEEP_LOG_BYTES = 1_500;
/**
 * Lambda's pollers of a standard queue, each of which asks every 20 seconds. Lambda may go down to two, but not with a
 * maximum concurrency (Lambda Developer Guide, "Configuring scaling behavior for SQS event source mappings").
 */
const POLLERS = 5;
const POLL_SECONDS = 20;

/** These cost by what is stored, asked, sent or run, and nothing while nothing runs. */
const FREE_WHILE_IDLE = [
  ...['AWS::Athena::NamedQuery', 'AWS::Athena::WorkGroup', 'AWS::CloudFormation::CustomResource'],
  ...['AWS::EC2::InternetGateway', 'AWS::EC2::LaunchTemplate', 'AWS::EC2::Route', 'AWS::EC2::RouteTable'],
  ...['AWS::EC2::SecurityGroup', 'AWS::EC2::SecurityGroupIngress', 'AWS::EC2::Subnet'],
  ...['AWS::EC2::SubnetRouteTableAssociation', 'AWS::EC2::VPC', 'AWS::EC2::VPCGatewayAttachment'],
  ...['AWS::EC2::VPCPeeringConnection', 'AWS::Glue::Database', 'AWS::Glue::Table', 'AWS::IAM::InstanceProfile'],
  ...['AWS::IAM::Policy', 'AWS::IAM::Role', 'AWS::Lambda::Function', 'AWS::Lambda::Permission'],
  ...['AWS::Lambda::Version', 'AWS::StepFunctions::StateMachineVersion'],
  ...['AWS::Logs::LogGroup', 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::SNS::Subscription'],
  ...['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy', 'AWS::SSM::Document'],
  ...['AWS::StepFunctions::StateMachine', 'AWS::Scheduler::Schedule'],
];

type Part = 'alarms' | 'sweeps' | 'polls' | 'dashboards';
type Resources = Record<string, CfnResource>;

/** @returns the part of the costs that a resource has by itself, or nothing; throws for a type that nobody has judged */
function idleCost({ Type, Properties }: CfnResource, resources: Resources): readonly [Part, number] | undefined {
  switch (Type) {
    case 'AWS::CloudWatch::Alarm':
      // An alarm on an expression costs as much as one for each of its metrics.
      return ['alarms', ((Properties.Metrics as unknown[] | undefined)?.length ?? 1) * USD.alarmMonth];
    case 'AWS::CloudWatch::Dashboard':
      return ['dashboards', USD.dashboardMonth];
    case 'AWS::Lambda::EventSourceMapping':
      expect(Properties.ProvisionedPollerConfig).toBeUndefined();
      return ['polls', POLLERS * (MONTH_SECONDS / POLL_SECONDS) * USD.sqsRequest];
    case 'AWS::Events::Rule':
      if (Properties.ScheduleExpression === undefined) return undefined;
      return ['sweeps', sweepsCost(Properties, resources)];
    case 'AWS::EC2::VPCEndpoint':
      expect(Properties.VpcEndpointType).toBe('Gateway');
      return undefined;
    case 'AWS::Logs::MetricFilter':
      // Without a default, a metric has data, and a price, only when a line matches.
      expect(JSON.stringify(Properties.MetricTransformations)).not.toContain('DefaultValue');
      return undefined;
    default:
      if (!FREE_WHILE_IDLE.includes(Type)) throw new Error(`${Type}: must have a price while nothing runs, got none`);
      return undefined;
  }
}

/** A rule by rate or every so many hours, whose only target is a function. */
function sweepsCost({ ScheduleExpression, Targets }: CfnResource['Properties'], resources: Resources): number {
  const [, minutes, hours] = /^(?:rate\((\d+) minutes\)|cron\(\d+ \*\/(\d+) \* \* \? \*\))$/.exec(
    ScheduleExpression as string,
  )!;
  const seconds = minutes === undefined ? Number(hours) * 3600 : Number(minutes) * 60;
  expect(Targets).toHaveLength(1);
  const [{ Arn } = { Arn: '' }] = Targets as { Arn: unknown }[];
  const { Type, Properties } = resources[flatten(Arn).replace(/^<(\w+)\.Arn>$/, '$1')]!;
  expect([Type, Properties.Architectures]).toEqual(['AWS::Lambda::Function', ['arm64']]);
  const work = SWEEP_SECONDS * (Properties.MemorySize / 1024) * USD.lambdaGibibyteSecond;
  const each = USD.ruleInvocation + USD.lambdaRequest + work + SWEEP_LOG_BYTES * USD.logByte;
  return (MONTH_SECONDS / seconds) * each;
}

function idleCosts(template: Template): Record<Part, number> {
  const costs = { alarms: 0, sweeps: 0, polls: 0, dashboards: 0 };
  const resources = template.toJSON().Resources as Resources;
  for (const resource of Object.values(resources)) {
    const [part, usd] = idleCost(resource, resources) ?? ['alarms', 0];
    costs[part] += usd;
  }
  return costs;
}

const total = ({ alarms, sweeps, polls }: Record<Part, number>) => alarms + sweeps + polls;

const CONTEXTS: Readonly<Record<string, Record<string, unknown>>> = {
  'nothing more': {},
  '`notify`': { notify: 'me@example.com' },
  '`canarySchedule` and `notify`': { notify: 'me@example.com', canarySchedule: 'rate(1 day)' },
};

const textOf = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const [, table = ''] = /<!-- idle: [^>]*-->\n\n(.*?)\n\n/s.exec(textOf('docs/reporting.md')) ?? [];
const rows = table.split('\n').map((row) =>
  row
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1),
);

test.each(Object.entries(CONTEXTS))('deployed with %s', (name, context) => {
  const costs = idleCosts(Template.fromStack(newStack(context)));
  const usd = [costs.alarms, costs.sweeps, costs.polls, total(costs), total(costs) + costs.dashboards];
  expect(rows).toContainEqual([name, ...usd.map((each) => each.toFixed(2))]);
});

test('is at most 0.60 USD a month without settings, and README says what the table says', () => {
  const costs = ['nothing more', '`canarySchedule` and `notify`'].map((name) =>
    total(idleCosts(Template.fromStack(newStack(CONTEXTS[name])))),
  );
  expect(costs[0]).toBeLessThanOrEqual(0.6);
  const [idle, scheduled] = costs.map((usd) => usd.toFixed(2));
  expect(textOf('README.md')).toMatch(
    new RegExp(`idle stack costs ${idle} USD a month, with a\\s+schedule ${scheduled}`),
  );
});

test('knows what a polled queue costs, with whatever concurrency', () => {
  const stack = newStack();
  const queue = { functionName: 'f', eventSourceArn: 'arn:aws:sqs:us-east-1:123456789012:q' };
  new CfnEventSourceMapping(stack, 'Polled', { ...queue, scalingConfig: { maximumConcurrency: 2 } });
  new CfnEventSourceMapping(stack, 'Plain', queue);
  const { polls, ...costs } = idleCosts(Template.fromStack(stack));
  expect(polls).toBeCloseTo(2 * 5 * 131_400 * 0.4e-6);
  expect(total({ polls, ...costs })).toBeGreaterThan(1.05);
});

test('is not known of a type that nobody has judged', () => {
  const stack = newStack();
  new CfnKey(stack, 'Key');
  expect(() => idleCosts(Template.fromStack(stack))).toThrow('AWS::KMS::Key: must have a price while nothing runs');
});
