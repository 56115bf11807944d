/** Prints the template of the stack with everything that a context can add, for the tests in Python. */
import { Template } from 'aws-cdk-lib/assertions';
import { newStack } from './synth';

const stack = newStack({
  peering: true,
  hostVpcs: 'vpc-0b1,vpc-0b2',
  canarySchedule: 'rate(1 day)',
  canaryPlan: 'examples/plans/smoke.json',
});
process.stdout.write(JSON.stringify(Template.fromStack(stack).toJSON(), null, 1));
