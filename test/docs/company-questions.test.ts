/** docs/deploy.md answers what a company asks before a deployment, and its figures are those of the template. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { vcpuQuota } from '../../domain/forecast/check-limits';
import { ASSUMED_REGION } from '../../domain/forecast/prices/price-table';
import recorded from '../../domain/forecast/recorded-instance-types.json';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import { LOOK_BACK_DAYS } from '../../domain/tables/query-text';
import { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { SETTINGS, settingsIn } from '../../lib/settings';
import firstRun from '../../examples/plans/first-run.json';
import secondRun from '../../examples/plans/burst-30-minutes-m5.2xlarge.json';
import { lastProof } from '../on-aws/seen';
import { newApp, newStack, resourcesOf, synthesiseWith, type CfnResource } from '../support/synth';

const ROOT = join(__dirname, '../..');
const document = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
const PRICES = `Prices outside ${ASSUMED_REGION}`;

/** By what stands in bold before them; that to upgrading is a section of its own. */
function answersOf(markdown: string): Record<string, string> {
  const bullets = [...markdown.matchAll(/^- \*\*(.+?)\*\*[:,]? (.*(?:\n {2}.*)*)/gm)];
  const [, upgrading = ''] = /^## Upgrading\n(.*?)^## /ms.exec(markdown) ?? [];
  const found = [...bullets.map(([, question = '', answer = '']) => [question, answer]), ['Upgrading', upgrading]];
  return Object.fromEntries(found.map(([question = '', answer = '']) => [question, answer.replace(/\s+/g, ' ')]));
}
const answers = answersOf(document);

const vcpus = (type: string) =>
  recorded.InstanceTypes.find(({ InstanceType }) => InstanceType === type)?.VCpuInfo.DefaultVCpus ?? NaN;
const typeOf = ({ pairs }: { readonly pairs: readonly { readonly clientType: string }[] }) => pairs[0]!.clientType;
const inWords = (count: number) => ['none', 'one', 'two', 'three'][count];

/** What the answers must say, with figures from where the product has them. Made once, because it needs the templates. */
let facts: readonly (readonly [question: string, says: string])[];

/** The questions whose answers lack a fact. */
const wrong = (given: Readonly<Record<string, string>>) =>
  facts.filter(([question, says]) => !given[question]?.includes(says)).map(([question]) => question);

beforeAll(() => {
  const networks = () => Object.keys(resourcesOf('AWS::EC2::VPC')).length;
  const ofDefaults = networks();
  synthesiseWith({ peering: 'true' });
  const [first, second] = [typeOf(firstRun), typeOf(secondRun)];
  const [oldest = ''] = readdirSync(join(ROOT, 'test/fixtures/releases'))
    .filter((name) => /^\d/.test(name))
    .sort();
  facts = [
    ['vCPUs', `--quota-code ${vcpuQuota(first)?.code}\``],
    ['vCPUs', `Two ${first} take ${2 * vcpus(first)} vCPUs, two ${second} ${2 * vcpus(second)}.`],
    ['VPCs', `the stack needs ${inWords(ofDefaults)}, or ${inWords(networks())} with \`peering\`.`],
    ['Upgrading', `From ${oldest} on,`],
    ['Retention', `raw streams ${RETENTION_DAYS.rawStreams} days`],
    ['Retention', `raw streams then or after ${RETENTION_DAYS.rawStreams} days`],
    ['Retention', `Below ${LOOK_BACK_DAYS} days`],
    [PRICES, `${ASSUMED_REGION}'s prices are assumed`],
    // While no proof of an account is kept, nobody knows how long AWS takes.
    ['Time', lastProof() === undefined ? 'AWS takes minutes for each, which is unmeasured.' : 'on AWS'],
  ];
});

test.each([
  'A free plan',
  'vCPUs',
  'VPCs',
  'PendingVerification',
  'Service control policies',
  'Time',
  'Upgrading',
  'Address ranges',
  'Public addresses',
  'Outbound rules',
  'Encryption',
  'Who can read what',
  'Retention',
  'Deleting one run',
  'Who started a run',
  'Spending limit',
  PRICES,
  'Several accounts and Regions',
  'Telemetry',
])('%s: there is an answer', (question) => {
  expect(answers[question]?.length ?? 0).toBeGreaterThan(80);
});

test("the answers' figures are the product's", () => {
  expect(wrong(answers)).toEqual([]);
});

test.each([
  ['vCPUs', 'L-1216C47A', 'L-1216C47B'],
  ['vCPUs', 'take 4', 'take 2'],
  ['vCPUs', 'm5.2xlarge 16', 'm5.2xlarge 8'],
  ['VPCs', 'needs one', 'needs two'],
  ['VPCs', 'or two with `peering`', 'or three with `peering`'],
  ['Upgrading', 'From 0.3.0', 'From 0.2.0'],
  ['Retention', 'raw streams 90 days', 'raw streams 30 days'],
  ['Retention', 'after 90 days', 'after 60 days'],
  ['Retention', 'Below 178', 'Below 90'],
  [PRICES, "us-east-1's prices are assumed", 'nothing is assumed'],
  ['Time', ', which is unmeasured', ''],
])('%s: %s, planted as %s, is found', (question, right, planted) => {
  expect(document.split(right)).toHaveLength(2);
  expect(wrong(answersOf(document.replace(right, planted)))).toEqual([question]);
});

test('every setting that an answer names is one', () => {
  const settings = Object.keys(SETTINGS.shape);
  const named = Object.values(answers).flatMap((answer) => [
    ...[...answer.matchAll(/-c (\w+)=/g)].map(([, name = '']) => name),
    ...[...answer.matchAll(/[Ww]ith `(\w+)`/g)].map(([, name = '']) => name),
  ]);
  expect(new Set(named)).toEqual(
    new Set(['peering', 'publicAddresses', 'vpcId', 'kmsKeyArn', 'retentionDays', 'maxCostUsdPerRun', 'maxInstances']),
  );
  expect(named.filter((name) => !settings.includes(name))).toEqual([]);
});

test('an upgrade keeps what runs need: functions and state machines have versions', () => {
  for (const type of ['AWS::Lambda::Version', 'AWS::StepFunctions::StateMachineVersion'])
    expect(Object.keys(resourcesOf(type)).length).toBeGreaterThan(0);
  expect(answers.Upgrading).toContain('decisions/0017-pinned-versions.md');
});

test('two deployments in one account and Region share no name', () => {
  const namesOf = (stack: NetworkBenchmarkStack) => {
    const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Record<string, CfnResource> };
    // A saved query is its workgroup's.
    const named = Object.values(Resources).filter(({ Type }) => Type !== 'AWS::Athena::NamedQuery');
    return named.flatMap(({ Type, Properties = {} }) =>
      Object.entries({ ...Properties, ...(Properties.DatabaseInput as object) })
        // Most names of metrics are AWS's.
        .filter(([key, value]) => /^(?!Metric)\w*Name$/.test(key) && typeof value === 'string')
        .map(([key, value]) => `${Type} ${key} ${String(value)}`),
    );
  };
  const app = newApp({ stackName: 'Second' });
  const settings = settingsIn(app.node.getAllContext() as Record<string, unknown>);
  const second = namesOf(new NetworkBenchmarkStack(app, 'Second', settings));
  expect(second.length).toBeGreaterThan(20);
  expect(namesOf(newStack()).filter((name) => second.includes(name))).toEqual([]);
});

test('functions, documents and user data name no address but those of AWS', () => {
  const files = ['lambdas', 'ssm-documents', 'lib'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|py|sh|yaml)$/.test(name))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const hosts = files.flatMap((text) => [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host));
  expect(hosts.length).toBeGreaterThan(0);
  expect(hosts.filter((host) => !/\.(amazonaws|aws\.amazon)\.com$|\.api\.aws$|^169\.254\./.test(host))).toEqual([]);
});

test('the command asks for prices with the right that the answer names', () => {
  const command = readFileSync(join(ROOT, 'scripts/record-prices.ts'), 'utf8');
  expect(command).toContain("'pricing', 'get-products'");
  expect(answers[PRICES]).toContain('(`pricing:GetProducts`)');
});

const MARKDOWN = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
const sectionsOf = (markdown: string) => markdown.split(/^(?=#+ )/m);
const isUndated = (section: string) => /\d USD\b/.test(section) && !/\b20\d\d\b/.test(section);

test.each(MARKDOWN.filter((path) => path.endsWith('.md')))('%s: every figure of money has its date', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  expect(sectionsOf(text).filter(isUndated)).toEqual([]);
  expect(sectionsOf(`${text}\n## More\n\nIt costs 0.5 USD.\n`).filter(isUndated)).toHaveLength(1);
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

test("CDK's command line reports nothing from a checkout", () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'))).toMatchObject({
    versionReporting: false,
    context: { 'cli-telemetry': false },
  });
});
