import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DOCUMENT_NAMES, MeasurementDocuments } from '../../../lib/measurement-documents/measurement-documents';

function synthesized() {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Bench');
  const documents = new MeasurementDocuments(stack, 'MeasurementDocuments');
  return { stack, documents, template: Template.fromStack(stack) };
}

it('deploys each document with the name of the stack as a prefix, and updates it in place', () => {
  const { template } = synthesized();

  const properties = Object.values(template.findResources('AWS::SSM::Document')).map((found) => found.Properties);
  expect(properties.map(({ Name }) => Name).sort()).toEqual(DOCUMENT_NAMES.map((name) => `Bench-${name}`).sort());
  for (const found of properties) {
    expect(found).toMatchObject({ DocumentType: 'Command', DocumentFormat: 'JSON', UpdateMethod: 'NewVersion' });
  }
});

it('gives each folder the name and the version of its document, found by its content after it is deployed', () => {
  const { stack, documents, template } = synthesized();

  expect(Object.keys(documents.pinned)).toEqual([...DOCUMENT_NAMES]);
  const [[versions, found]] = Object.entries(template.findResources('AWS::CloudFormation::CustomResource')) as [
    [string, { Properties: { Digests: Record<string, string> }; DependsOn: string[] }],
  ];
  const names = DOCUMENT_NAMES.map((folder) => `Bench-${folder}`);
  expect(stack.resolve(documents.pinned)).toEqual(
    Object.fromEntries(
      DOCUMENT_NAMES.map((folder) => [
        folder,
        { name: `Bench-${folder}`, version: { 'Fn::GetAtt': [versions, `Bench-${folder}`] } },
      ]),
    ),
  );
  expect(Object.keys(found.Properties.Digests)).toEqual(names);
  expect(found.DependsOn).toEqual(expect.arrayContaining(Object.keys(template.findResources('AWS::SSM::Document'))));
});
