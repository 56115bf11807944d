/** How Systems Manager's list of commands is read. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type * as Ssm from '../../../lambdas/adapters/ssm';
import { AwsEndpoint } from '../../support/aws-endpoint';

const aws = new AwsEndpoint();
let adapter: typeof Ssm;

beforeAll(async () => {
  await aws.start();
  adapter = await import('../../../lambdas/adapters/ssm');
});

afterAll(() => aws.stop());

test('only pending and running commands are unfinished', async () => {
  const Commands = ['Pending', 'InProgress', 'Success', 'Failed'].map((Status) => ({ CommandId: Status, Status }));
  aws.answer = () => ({ status: 200, body: JSON.stringify({ Commands }) });

  expect(await adapter.listUnfinishedCommands('i-1')).toEqual(['Pending', 'InProgress']);
});

test('a host that never registered has no commands, and any other error fails', async () => {
  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'InvalidInstanceId' }) });
  expect(await adapter.listUnfinishedCommands('i-1')).toEqual([]);

  aws.answer = () => ({ status: 400, body: JSON.stringify({ __type: 'InvalidFilterKey' }) });
  await expect(adapter.listUnfinishedCommands('i-1')).rejects.toMatchObject({ name: 'InvalidFilterKey' });
});
