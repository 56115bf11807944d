import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from '@jest/globals';
import { DOCUMENT_NAMES } from '../../../lib/measurement-documents/build-document';
import { MeasurementDocuments } from '../../../lib/measurement-documents/measurement-documents';

function synthesized() {
  const stack = new Stack(new App(), 'Bench');
  const documents = new MeasurementDocuments(stack, 'MeasurementDocuments');
  return { stack, documents, template: Template.fromStack(stack) };
}

it('deploys each document under the name of its stack and updates it in place', () => {
  const { template } = synthesized();

  const properties = Object.values(template.findResources('AWS::SSM::Document')).map((found) => found.Properties);
  expect(properties.map(({ Name }) => Name).sort()).toEqual(DOCUMENT_NAMES.map((name) => `Bench-${name}`).sort());
  for (const found of properties) {
    expect(found).toMatchObject({ DocumentType: 'Command', DocumentFormat: 'JSON', UpdateMethod: 'NewVersion' });
  }
});

it("exposes the deployed names and ARNs by the documents' own nouns", () => {
  const { stack, documents } = synthesized();

  expect(Object.keys(documents.names)).toEqual([...DOCUMENT_NAMES]);
  expect(documents.arns).toHaveLength(DOCUMENT_NAMES.length);
  expect(JSON.stringify(stack.resolve(documents.arns))).toContain(':document/');
});
