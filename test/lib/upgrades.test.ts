/** A deployment over every released version keeps what runs and what is stored. */
import { Template } from 'aws-cdk-lib/assertions';
import { newStack } from '../support/synth';
import { breaksOf, type CfnTemplate, releasedTemplate, releasedVersions, VARIANTS } from '../support/upgrades';

const synthesised = (variant: string) =>
  Template.fromStack(newStack(VARIANTS[variant] as Record<string, unknown>)).toJSON() as CfnTemplate;

/**
 * What a version had and is removed on purpose. Nothing of a run refers to the queues; looks that were still due are
 * made up for by the sweeper within a quarter of an hour (docs/decisions/0006-reaper-looks-again.md).
 */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  '0.3.0': [
    'OperationsAfterOneMinute2B6A67C1 (AWS::SQS::Queue): is removed',
    'OperationsAfterFiveMinutes2526EB78 (AWS::SQS::Queue): is removed',
  ],
};

describe.each(releasedVersions())('a stack of %s', (version) => {
  test.each(Object.keys(VARIANTS))('and the context %s is updated in place', (variant) => {
    expect(breaksOf(releasedTemplate(version, variant), synthesised(variant))).toEqual(REMOVED[version] ?? []);
  });
});

describe('a break is named', () => {
  const released = releasedTemplate('0.3.0', 'every-option');
  const today = synthesised('every-option');
  const SUBNET = 'TestNetworkVpcHostsSubnet1SubnetB2BB4661';
  const BUCKET = 'ResultStoreBucketCAB46199';
  const FUNCTION = 'FunctionsAnalyseMeasurementHandler202C64EE';
  const DOCUMENT = 'MeasurementDocumentsmeasureping588EDADF';
  const WORK_GROUP = 'ResultStoreTablesWorkGroup33C4E592';
  type Resources = Record<string, { Type: string; Properties: any }>;
  const parametersOf = (resources: Resources) => resources[DOCUMENT]?.Properties.Content.parameters as object;

  test.each<[broken: string, plant: (resources: any) => void, first: string]>([
    [
      'an address range',
      (all) => (all[SUBNET].Properties.CidrBlock = '10.0.128.0/18'),
      `${SUBNET} (AWS::EC2::Subnet): is replaced, because of CidrBlock`,
    ],
    [
      "a bucket's name",
      (all) => (all[BUCKET].Properties.BucketName = 'results'),
      `${BUCKET} (AWS::S3::Bucket): is replaced, because of BucketName`,
    ],
    [
      'a name that the stack gives',
      (all) => (all[WORK_GROUP].Properties.Name = 'results'),
      `${WORK_GROUP} (AWS::Athena::WorkGroup): is replaced, because of Name`,
    ],
    [
      'another logical id',
      (all) => {
        all.FunctionsAnalyse = all[FUNCTION];
        Reflect.deleteProperty(all, FUNCTION);
      },
      `${FUNCTION} (AWS::Lambda::Function): is removed`,
    ],
    [
      "a document's new parameter without a default",
      (all) => Object.assign(parametersOf(all), { Colour: { type: 'String' } }),
      `${DOCUMENT}: parameter Colour is new and has no default`,
    ],
    [
      "a document's parameter that is removed",
      (all) => delete (parametersOf(all) as Record<string, unknown>).IntervalMillis,
      `${DOCUMENT}: parameter IntervalMillis is removed`,
    ],
    [
      "a document's parameter that allows less",
      (all) => Object.assign(parametersOf(all), { IntervalMillis: { type: 'String', allowedPattern: '^1$' } }),
      `${DOCUMENT}: parameter IntervalMillis has another pattern`,
    ],
  ])('%s', (_, plant, named) => {
    const broken = structuredClone(today);
    plant(broken.Resources);
    expect(breaksOf(released, broken)).toContain(named);
  });

  test.each<[changed: string, plant: (resources: any) => void]>([
    ['an alarm that is removed', (all) => delete all.OperationsAlarmsReaperErrorsE4606AF9],
    ['a saved query that is replaced', (all) => (all.ResultStoreTablesAtlas67830432.Properties.Name = 'map')],
    ['a limit of a function', (all) => (all[FUNCTION].Properties.MemorySize = 2048)],
    [
      "a document's new parameter with a default",
      (all) => Object.assign(parametersOf(all), { Colour: { type: 'String', default: 'red' } }),
    ],
  ])('%s is none', (_, plant) => {
    const changed = structuredClone(today);
    plant(changed.Resources);
    expect(breaksOf(released, changed)).toEqual(REMOVED['0.3.0']);
  });
});
