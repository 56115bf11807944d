/** What the stack costs while nothing runs, by its template, as docs/reporting.md says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { newStack } from '../support/synth';

/** us-east-1's list prices, November 2026 (aws.amazon.com/cloudwatch/pricing). */
const USD_PER_ALARM = 0.1;
const USD_PER_DASHBOARD = 3;
/** What else could cost money by the month while nothing runs. */
const NEVER = [
  'AWS::KMS::Key',
  'AWS::EC2::NatGateway',
  'AWS::EC2::EIP',
  'AWS::EC2::Instance',
  'AWS::SecretsManager::Secret',
];

const CONTEXTS: Readonly<Record<string, Record<string, unknown>>> = {
  'nothing more': {},
  '`notify`': { notify: 'me@example.com' },
  '`canarySchedule` and `notify`': { notify: 'me@example.com', canarySchedule: 'rate(1 day)' },
};

const document = readFileSync(join(__dirname, '../../docs/reporting.md'), 'utf8');
const [, table = ''] = /<!-- idle: [^>]*-->\n\n(.*?)\n\n/s.exec(document) ?? [];
const rows = table.split('\n').map((row) =>
  row
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1),
);

test.each(Object.entries(CONTEXTS))('deployed with %s', (name, context) => {
  const template = Template.fromStack(newStack(context));
  const count = (type: string) => Object.keys(template.findResources(type)).length;
  const [alarms, dashboards] = [count('AWS::CloudWatch::Alarm'), count('AWS::CloudWatch::Dashboard')];
  const usd = alarms * USD_PER_ALARM;
  const row = [alarms, dashboards, usd.toFixed(2), (usd + dashboards * USD_PER_DASHBOARD).toFixed(2)].map(String);

  expect(rows).toContainEqual([name, ...row]);
  expect(NEVER.filter((type) => count(type) > 0)).toEqual([]);
});
