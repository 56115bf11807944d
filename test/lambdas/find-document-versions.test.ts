/** The versions that a deployment is told: those with its content, whatever the order of keys and of versions. */
import { createHash } from 'node:crypto';
import { makeFindDocumentVersions } from '../../lambdas/find-document-versions/find-document-versions';
import type { CloudFormationRequest } from '../../lambdas/shared/custom-resource';

const CONTENT = { schemaVersion: '2.2', mainSteps: [{ action: 'aws:runShellScript', name: 'ping' }] };
const AS_STORED = { mainSteps: [{ name: 'ping', action: 'aws:runShellScript' }], schemaVersion: '2.2' };
const OTHER = { ...CONTENT, schemaVersion: '2.3' };
const DIGEST = createHash('sha256')
  .update('{"mainSteps":[{"action":"aws:runShellScript","name":"ping"}],"schemaVersion":"2.2"}')
  .digest('hex');

/** @param states the contents from version 1 on, as they are found at each look at the latest version */
async function answered(RequestType: CloudFormationRequest['RequestType'], ...states: readonly unknown[][]) {
  const answers: unknown[] = [];
  const pauses: number[] = [];
  let looks = 0;
  const handle = makeFindDocumentVersions({
    getDocument: async (name, version) => {
      if (version === '$LATEST') looks += 1;
      const contents = states[Math.min(looks, states.length) - 1] ?? [];
      if (name !== 'ping' || contents.length === 0) throw new Error(`InvalidDocument: ${name}`);
      const number = version === '$LATEST' ? contents.length : Number(version);
      return { version: number, content: contents[number - 1] };
    },
    answer: async (_, outcome) => void answers.push(outcome),
    sleep: async (milliseconds) => pauses.push(milliseconds),
  });
  const request = { RequestType, RequestId: '1', ResponseURL: '', StackId: '', LogicalResourceId: 'Versions' };
  await handle({ ...request, ResourceProperties: { Digests: { ping: DIGEST } } });
  return { answers, pauses };
}

test.each<[what: string, states: unknown[][], version: string, pauses: number[]]>([
  ['the first version', [[AS_STORED]], '1', []],
  ['the latest of three', [[OTHER, OTHER, AS_STORED]], '3', []],
  ['an earlier one, which a rollback could not make again', [[OTHER, AS_STORED, OTHER]], '2', []],
  ['one that is not readable at once', [[OTHER], [OTHER], [OTHER, AS_STORED]], '2', [5_000, 5_000]],
])('finds %s', async (_, states, version, pauses) => {
  expect(await answered('Update', ...states)).toEqual({
    answers: [{ status: 'SUCCESS', data: { ping: version } }],
    pauses,
  });
});

test('fails after a minute, because a definition must not send another content', async () => {
  const { answers, pauses } = await answered('Create', [OTHER, OTHER]);
  expect(answers).toEqual([
    {
      status: 'FAILED',
      reason: 'Error: document ping: must have a version with the deployed content, got none of 2',
    },
  ]);
  expect(pauses).toHaveLength(11);
});

test('answers the reason of Systems Manager', async () => {
  expect((await answered('Create', [])).answers).toEqual([
    { status: 'FAILED', reason: 'Error: InvalidDocument: ping' },
  ]);
});

test('asks for nothing when the stack is deleted', async () => {
  expect((await answered('Delete', [])).answers).toEqual([{ status: 'SUCCESS', data: {} }]);
});
