/** What `kmsKeyArn` and `retentionDays` change in the template, and that nothing changes without them. */
import { Template } from 'aws-cdk-lib/assertions';
import { readContext } from '../../lib/context';
import { flatten, newStack, type CfnResource } from '../support/synth';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

function found(context: Record<string, unknown>, type: string): Record<string, CfnResource> {
  return Template.fromStack(newStack(context)).findResources(type) as Record<string, CfnResource>;
}

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The calls on KMS of each role that has any, by the beginning of its logical id. */
function keyCalls(context: Record<string, unknown>): Record<string, readonly string[]> {
  const roles = Object.entries(found(context, 'AWS::IAM::Role'));
  const calls = roles.map(([id, { Properties }]) => {
    const statements = (Properties.Policies ?? []).flatMap(
      (policy: { PolicyDocument: { Statement: Statement[] } }) => policy.PolicyDocument.Statement,
    ) as Statement[];
    const ofKms = statements.filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')));
    for (const { Resource, Condition } of ofKms) {
      expect(Resource).toBe(KEY);
      expect(flatten((Condition as any).StringEquals['kms:ViaService'])).toBe('s3.<AWS::Region>.<AWS::URLSuffix>');
    }
    const name = id.replace(/^Functions|^TestHosts|Role\w{8}$/g, '');
    return [name, ofKms.flatMap(({ Action }) => [Action].flat().map((action) => action.slice('kms:'.length)))] as const;
  });
  return Object.fromEntries(calls.filter(([, actions]) => actions.length > 0));
}

const bucketOf = (context: Record<string, unknown>) =>
  Object.entries(found(context, 'AWS::S3::Bucket')).find(([id]) => id.startsWith('ResultStoreBucket'))![1].Properties;

test('a key of the account encrypts the bucket and the results of queries, and whoever reads or writes may use it', () => {
  const { ServerSideEncryptionConfiguration: encryption } = bucketOf({ kmsKeyArn: KEY }).BucketEncryption;
  expect(encryption).toEqual([
    {
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: { KMSMasterKeyID: KEY, SSEAlgorithm: 'aws:kms' },
    },
  ]);
  const [workGroup] = Object.values(found({ kmsKeyArn: KEY }, 'AWS::Athena::WorkGroup'));
  expect(workGroup!.Properties.WorkGroupConfiguration.ResultConfiguration.EncryptionConfiguration).toEqual({
    EncryptionOption: 'SSE_KMS',
    KmsKey: KEY,
  });
  const both = ['Decrypt', 'GenerateDataKey'];
  expect(keyCalls({ kmsKeyArn: KEY })).toEqual({
    Host: ['GenerateDataKey'],
    PlanRun: both,
    LaunchPair: both,
    ConnectPair: both,
    IngestChunk: both,
    AnalyseMeasurement: both,
    SummariseRun: both,
    PublishRun: both,
    ReapRun: ['Decrypt'],
    OperationsClosingsCloseMonths: both,
  });
});

const expiring = (context: Record<string, unknown>) =>
  Object.fromEntries(
    (bucketOf(context).LifecycleConfiguration.Rules as { Prefix?: string; ExpirationInDays?: number }[]).map(
      ({ Prefix, ExpirationInDays }) => [Prefix ?? '', ExpirationInDays],
    ),
  );

const ALWAYS = {
  'raw/': 90,
  'live_samples/': 3,
  'live_measurements/': 61,
  'athena-results/': 7,
  '': undefined,
};

test.each([[61], ['400'], [3650]])('everything that runs stored is deleted after %s days', (retentionDays) => {
  const rows = ['samples/', 'measurement_samples/', 'measurements/', 'pairs/', 'runs/', 'closed/'];
  const results = ['reports/', 'parts/', ...rows];
  expect(expiring({ retentionDays })).toEqual({
    ...ALWAYS,
    'raw/': Math.min(90, Number(retentionDays)),
    ...Object.fromEntries(results.map((prefix) => [prefix, Number(retentionDays)])),
  });
});

test('by default results are kept, S3 encrypts them, and no role may use a key', () => {
  expect(expiring({})).toEqual(ALWAYS);
  expect(bucketOf({}).BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
    { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
  ]);
  expect(keyCalls({})).toEqual({});
});

test('neither setting replaces the bucket of a deployment that had none', () => {
  const idOf = (context: Record<string, unknown>) => Object.keys(found(context, 'AWS::S3::Bucket')).sort();
  expect(idOf({ kmsKeyArn: KEY, retentionDays: 61 })).toEqual(idOf({}));
  // A bucket is replaced only for another name.
  expect([bucketOf({}), bucketOf({ kmsKeyArn: KEY })].map(({ BucketName }) => BucketName)).toEqual([
    undefined,
    undefined,
  ]);
});

test.each([
  ['kmsKeyArn', 'arn:aws:kms:eu-west-1:123456789012:alias/mine', 'the ARN of a KMS key'],
  ['kmsKeyArn', '1234abcd', 'the ARN of a KMS key'],
  ['kmsKeyArn', KEY, 'the ARN of a key in us-east-1, where the bucket is'],
  ['retentionDays', 60, 'a whole number of days from 61, because a run may last that long, to 3650'],
  ['retentionDays', '3651', 'a whole number of days from 61'],
  ['retentionDays', 61.5, 'a whole number of days from 61'],
  ['maxCostUsdPerRun', 0, 'a number of USD from 0.01 to 1000000'],
  ['maxCostUsdPerRun', 'ten', 'a number of USD from 0.01 to 1000000'],
  ['maxInstances', 1, 'a whole number of hosts from 2 to 2000'],
])('refuses %s as %j', (name, value, allowed) => {
  expect(() => readContext({ [name]: value }, 'us-east-1')).toThrow(`context ${name}: must be ${allowed}`);
});

test('plan-run is told the limits of the deployment, on the command line or in cdk.json', () => {
  const limitsOf = (context: Record<string, unknown>) => {
    const [, planRun] = Object.entries(found(context, 'AWS::Lambda::Function')).find(([id]) =>
      id.startsWith('FunctionsPlanRun'),
    )!;
    return JSON.parse(planRun.Properties.Environment.Variables.LIMITS as string) as unknown;
  };
  expect(limitsOf({})).toEqual({});
  expect(limitsOf({ maxCostUsdPerRun: '12.5', maxInstances: 4 })).toEqual({ maxCostUsdPerRun: 12.5, maxInstances: 4 });
});
