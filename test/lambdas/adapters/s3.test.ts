/** How errors of S3 are passed on. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type * as S3 from '../../../lambdas/adapters/s3';
import { AwsEndpoint } from '../../support/aws-endpoint';

const aws = new AwsEndpoint();
let adapter: typeof S3;

beforeAll(async () => {
  await aws.start();
  adapter = await import('../../../lambdas/adapters/s3');
});

afterAll(() => aws.stop());

test('errors keep their name and say which object they are about', async () => {
  const body = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';
  aws.answer = () => ({ status: 404, body });
  const key = 'reports/run-1/plan.json';
  const named = { name: 'NoSuchKey', message: `${key}: The specified key does not exist.` };

  await expect(adapter.readableBucket('bucket').getObject(key)).rejects.toMatchObject(named);
  const { putObject } = adapter.writableBucket('bucket');
  await expect(putObject(key, new Uint8Array(), 'text/plain')).rejects.toMatchObject(named);
});
