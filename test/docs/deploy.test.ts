/** docs/deploy.md names what the template has: services, names of resources, and the operations of its policies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as athena from '@aws-sdk/client-athena';
import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as s3 from '@aws-sdk/client-s3';
import * as sfn from '@aws-sdk/client-sfn';
import { Template } from 'aws-cdk-lib/assertions';
import { ATHENA_RESULTS_PREFIX, INDEX_KEY, REPORTS_PREFIX } from '../../domain/workflow/object-keys';
import { newStack } from '../support/synth';

const document = readFileSync(join(__dirname, '../../docs/deploy.md'), 'utf8');
const EVERY_PART = { peering: 'true', notify: 'ops@example.com', canarySchedule: 'rate(1 day)' };
const template = Template.fromStack(newStack(EVERY_PART)).toJSON() as {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs: Record<string, { Value: unknown }>;
};
const resources = Object.values(template.Resources);

interface Statement {
  Action: string | string[];
  Resource: string | string[];
}
const statements = [...document.matchAll(/^```json\n(.*?)^```$/gms)]
  .map(([, json = '']) => JSON.parse(json) as { Statement?: Statement[] })
  .flatMap(({ Statement }) => Statement ?? []);
const actions = statements.flatMap(({ Action }) => Action);
const granted = statements.flatMap(({ Resource }) => Resource);

const CLIENTS: Record<string, object> = { athena, cloudformation, s3, states: sfn };
/** Permissions that have another name than the operation, by IAM's reference. */
const OTHER_NAMES: Record<string, string> = { 's3:ListBucket': 'ListObjectsV2' };
/** The project has no client of these services. */
const WITHOUT_CLIENT = ['glue', 'sts'];

test('the table has every service of the template and no other', () => {
  const [, table = ''] = /<!-- services: [^>]*-->\n\n(.*?)\n\n/s.exec(document) ?? [];
  const named = [...table.matchAll(/^\| `(AWS::\w+)`/gm)].map(([, service]) => service);
  // A custom resource is one of AWS::CloudFormation.
  const deployed = resources.map(({ Type }) => /^AWS::\w+/.exec(Type)?.[0] ?? 'AWS::CloudFormation');
  expect(named).toEqual([...new Set(deployed)].sort());
});

test('policies name operations that exist', () => {
  const unknown = actions.filter((action) => {
    const [service = '', operation = ''] = action.split(':');
    if (WITHOUT_CLIENT.includes(service)) return false;
    return !(`${OTHER_NAMES[action] ?? operation}Command` in (CLIENTS[service] ?? {}));
  });
  expect(unknown).toEqual([]);
  expect(actions).toContain('states:StartExecution');
});

/** The last part of the ARNs of a service, such as `workgroup/network-benchmark`. */
const partsOf = (service: string) =>
  granted.filter((arn) => arn.startsWith(`arn:aws:${service}:`)).map((arn) => arn.split(':').slice(5).join(':'));

test('policies name what the template names', () => {
  const names = (type: string, property: string) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties[property]);
  const [stack] = names('AWS::StepFunctions::StateMachine', 'StateMachineName').map(
    (name) => String(name).split('-')[0],
  );
  const machines = names('AWS::StepFunctions::StateMachine', 'StateMachineName');

  expect(machines).toContain('NetworkBenchmark-network-benchmark');
  expect(partsOf('states')).toEqual([
    'stateMachine:NetworkBenchmark-network-benchmark',
    `execution:${stack}-*`,
    `stateMachine:${stack}-*`,
  ]);
  expect(partsOf('cloudformation')).toEqual([`stack/${stack}/*`]);
  expect(partsOf('athena')).toEqual(names('AWS::Athena::WorkGroup', 'Name').map((name) => `workgroup/${String(name)}`));
  const databases = names('AWS::Glue::Database', 'DatabaseInput') as { Name: string }[];
  expect(databases).toHaveLength(1);
  expect(partsOf('glue')).toEqual(['catalog', `database/${databases[0]?.Name}`, `table/${databases[0]?.Name}/*`]);
});

test('policies name the prefixes of the bucket, and the page over all runs', () => {
  expect(granted).toEqual(
    expect.arrayContaining([
      `arn:aws:s3:::networkbenchmark-*/${REPORTS_PREFIX}*`,
      `arn:aws:s3:::networkbenchmark-*/${INDEX_KEY}`,
      `arn:aws:s3:::networkbenchmark-*/${ATHENA_RESULTS_PREFIX}*`,
    ]),
  );
});

test('what is said to stay is what the template keeps', () => {
  const kept = Object.entries(template.Resources as Record<string, { Type: string; DeletionPolicy?: string }>)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'RetainExceptOnCreate')
    .map(([, { Type }]) => Type);
  // A version ends with its function or state machine.
  expect(kept.filter((type) => !type.endsWith('Version'))).toEqual(['AWS::S3::Bucket']);
});

test('commands ask for outputs that the stack has', () => {
  const asked = [...document.matchAll(/\$\(output (\w+)\)/g)].map(([, name]) => name);
  expect(asked).toEqual(expect.arrayContaining(['RunStateMachineArn', 'BucketName']));
  expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(asked));
});
