/** The document on subnets of other VPCs has every call on EC2 that changes something, as the policies have them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { newStack } from '../support/synth';

interface Statement {
  Action: string | string[];
}

/** Calls that only look at something. */
const READS = /^ec2:(Describe|Get)/;

/** Each statement of a policy in the template, wherever the policy is. */
function statementsIn(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('Effect' in value && 'Action' in value) return [value as unknown as Statement];
  return Object.values(value).flatMap(statementsIn);
}

const granted = statementsIn(Template.fromStack(newStack({ hostVpcs: 'any' })).toJSON())
  .flatMap(({ Action }) => Action)
  .filter((action) => (action.startsWith('ec2:') && !READS.test(action)) || action === 'iam:PassRole');

test('the table names exactly these', () => {
  const document = readFileSync(join(__dirname, '../../docs/private-hosts.md'), 'utf8');
  const [, table = ''] = /<!-- calls: [^>]*-->\n\n(.*?)\n\n/s.exec(document) ?? [];
  const calls = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/(ec2|iam):\w+/g) ?? []);
  const named = calls.filter((call) => !READS.test(call));

  expect(granted).toContain('ec2:RunInstances');
  expect([...new Set(named)].sort()).toEqual([...new Set(granted)].sort());
});
