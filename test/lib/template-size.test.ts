/** How large the template is with all that a deployment can ask for, and what happens to one that is too large. */
import { statSync } from 'node:fs';
import { ContextError } from '../../lib/context';
import { checkTemplateSizes } from '../../lib/template-size';
import { newApp, stackOf } from '../support/synth';

const EVERY_PART = {
  zones: 6,
  peering: true,
  hostVpcs: 'vpc-0b1,vpc-0b2',
  notify: 'me@example.com,you@example.com',
  canarySchedule: 'rate(1 day)',
  metrics: 'all',
  presignedReports: 12,
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f',
  retentionDays: 400,
  maxCostUsdPerRun: 100,
  maxInstances: 40,
};
const tags = (count: number, key: string, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${key}${index}`, value]));

beforeAll(() => {
  process.env.CDK_VALIDATION = 'false';
});

test.each([
  ['44 tags of ordinary length', tags(44, 'company:cost-center-', 'network-team')],
  ['tags of the most bytes that are allowed', tags(44, 'owner', 'ü'.repeat(15))],
  ['no tags', {}],
])('is below 600 kB with every part and %s', (_, given) => {
  const app = newApp({ ...EVERY_PART, tags: given });
  stackOf(app);
  const [artifact] = app.synth().stacks;

  expect(statSync(artifact!.templateFullPath).size).toBeLessThan(600_000);
  // The command line passes them to CloudFormation, which puts them on each resource.
  expect(artifact!.tags).toEqual(given);
});

/** An app whose template has this filler, two bytes per character because the limit is one of bytes. */
function filledApp(filler: string) {
  const app = newApp();
  stackOf(app).templateOptions.metadata = { Filler: filler };
  return app;
}

test('may have a million bytes, and is refused by name with one more, before anything is uploaded', () => {
  const [{ templateFullPath } = { templateFullPath: '' }] = filledApp('').synth().stacks;
  const room = 1_000_000 - statSync(templateFullPath).size;
  const filler = 'ü'.repeat(room / 2) + 'x'.repeat(room % 2);

  expect(() => checkTemplateSizes(filledApp(filler))).not.toThrow();
  expect(() => checkTemplateSizes(filledApp(`${filler}x`))).toThrow(
    new ContextError('template of NetworkBenchmark: must have at most 1000000 bytes, got 1000001'),
  );
});
