/** docs/deploy.md answers what a company asks before a deployment, and its figures are those of the template. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import { LOOK_BACK_DAYS } from '../../domain/tables/query-text';
import { resourcesOf, synthesiseWith } from '../support/synth';

const ROOT = join(__dirname, '../..');
const document = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
const answers = Object.fromEntries(
  [...document.matchAll(/^- \*\*(.+?)\*\*: (.*(?:\n {2}.*)*)/gm)].map(([, question = '', answer = '']) => [
    question,
    answer.replace(/\s+/g, ' '),
  ]),
);

beforeAll(() => {
  synthesiseWith({ peering: 'true' });
});

test.each([
  'Address ranges',
  'Public addresses',
  'Outbound rules',
  'Encryption',
  'Who can read what',
  'Retention',
  'Deleting one run',
  'Who started a run',
  'Spending limit',
  'Several accounts and Regions',
  'Telemetry',
])('%s: there is an answer', (question) => {
  expect(answers[question]?.length ?? 0).toBeGreaterThan(80);
});

test('the address ranges are those of the template', () => {
  const networks = Object.values(resourcesOf('AWS::EC2::VPC')).map(({ Properties }) => Properties.CidrBlock as string);
  const masks = Object.values(resourcesOf('AWS::EC2::Subnet')).map(
    ({ Properties }) => /\/\d+$/.exec(String(Properties.CidrBlock))?.[0],
  );
  expect(answers['Address ranges']?.match(/[\d.]*\/\d+/g)).toEqual([networks[0], masks[0], networks[1]]);
  expect(new Set(masks).size).toBe(1);
});

test('hosts may send anything to anywhere, and admit only groups of the stack', () => {
  const groups = Object.values(resourcesOf('AWS::EC2::SecurityGroup'));
  expect(groups.length).toBeGreaterThan(1);
  for (const { Properties } of groups) {
    expect(Properties.SecurityGroupEgress).toEqual([
      expect.objectContaining({ CidrIp: '0.0.0.0/0', IpProtocol: '-1' }) as unknown,
    ]);
    expect(Properties.SecurityGroupIngress).toBeUndefined();
  }
  for (const { Properties } of Object.values(resourcesOf('AWS::EC2::SecurityGroupIngress')))
    expect(Properties.SourceSecurityGroupId).toBeDefined();
  expect(answers['Outbound rules']).toContain('anything to anywhere');
  for (const { Properties } of Object.values(resourcesOf('AWS::Lambda::Function')))
    expect(Properties.VpcConfig).toBeUndefined();
});

test('buckets and queues are encrypted as the answer says, and nothing is public', () => {
  for (const { Properties } of Object.values(resourcesOf('AWS::S3::Bucket'))) {
    expect(Properties.BucketEncryption).toEqual({
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    });
    expect(new Set(Object.values(Properties.PublicAccessBlockConfiguration as object))).toEqual(new Set([true]));
  }
  for (const { Properties } of Object.values(resourcesOf('AWS::SQS::Queue')))
    expect(Properties.SqsManagedSseEnabled).toBe(true);
  // Plain http is refused by the policy of one bucket: that of the results.
  const refusing = Object.values(resourcesOf('AWS::S3::BucketPolicy')).filter(({ Properties }) =>
    JSON.stringify(Properties.PolicyDocument).includes('"aws:SecureTransport":"false"'),
  );
  expect(refusing).toHaveLength(1);
  expect(answers.Encryption).toContain('refuses plain http for the results');
});

test("the periods are the product's", () => {
  expect(answers.Retention).toContain(`raw streams ${RETENTION_DAYS.rawStreams} days`);
  expect(answers.Retention).toContain(`Below ${LOOK_BACK_DAYS} days`);
});

test("CDK's command line reports nothing from a checkout", () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'))).toMatchObject({
    versionReporting: false,
    context: { 'cli-telemetry': false },
  });
});
