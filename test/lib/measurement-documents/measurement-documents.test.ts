import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DOCUMENT_NAMES, MeasurementDocuments } from '../../../lib/measurement-documents/measurement-documents';

function synthesized() {
  const stack = new Stack(new App(), 'Bench');
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

it('maps the name of each folder to the deployed document', () => {
  const { stack, documents, template } = synthesized();

  expect(Object.keys(documents.names)).toEqual([...DOCUMENT_NAMES]);
  const deployed = template.findResources('AWS::SSM::Document');
  for (const [name, reference] of Object.entries(documents.names)) {
    const { Ref: logicalId } = stack.resolve(reference) as { readonly Ref: string };
    expect(deployed[logicalId]?.Properties.Name).toBe(`Bench-${name}`);
  }
});
