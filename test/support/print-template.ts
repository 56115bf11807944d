/**
 * Prints the template of the stack, for the tests in Python: with everything that a context can add, or with the context
 * that is given as JSON.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { newStack } from './synth';

const EVERYTHING = {
  peering: true,
  hostVpcs: 'vpc-0b1,vpc-0b2',
  canarySchedule: 'rate(1 day)',
  canaryPlan: 'examples/plans/smoke.json',
  notify: 'me@example.com',
  presignedReports: 12,
};

const [given] = process.argv.slice(2);
const stack = newStack(given === undefined ? EVERYTHING : (JSON.parse(given) as Record<string, unknown>));
process.stdout.write(JSON.stringify(Template.fromStack(stack).toJSON(), null, 1));
