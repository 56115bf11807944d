/** The CDK's own check of the template, which `npx cdk deploy` makes and no other test: what it refuses is not deployed. */
import { CfnOutput, Fn } from 'aws-cdk-lib';
import { newApp, stackOf } from '../support/synth';

const EVERY_PART = {
  peering: 'true',
  hostVpcs: 'any',
  notify: 'me@example.com',
  canarySchedule: 'rate(1 day)',
  metrics: 'all',
  presignedReports: '6',
  tags: 'CostCenter=42',
};
const PRIVATE_VPC = {
  vpcId: 'vpc-0b1b2b3b',
  subnetIds: 'subnet-0a1a2a3a',
  availabilityZones: 'us-east-1a',
  publicAddresses: 'false',
};

function checkedStack(context: Record<string, unknown>) {
  delete process.env.CDK_VALIDATION;
  const app = newApp(context, true);
  return { app, stack: stackOf(app) };
}

test.each([
  ['the defaults', {}],
  ['zones by name', { zones: 'us-west-1a,us-west-1c' }],
  ['every part', EVERY_PART],
  ['private subnets of an existing network', PRIVATE_VPC],
])('passes with %s', (_, context) => {
  const { app } = checkedStack(context);
  expect(() => app.synth()).not.toThrow();
});

test('refuses a function where CloudFormation knows none', () => {
  const { app, stack } = checkedStack({});
  new CfnOutput(stack, 'Wrong', { value: Fn.select(0, [Fn.getAtt('NoSuchResource', 'Arn').toString()]) });
  expect(() => app.synth()).toThrow(/NoSuchResource/);
});
