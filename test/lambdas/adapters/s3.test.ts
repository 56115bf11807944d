import { afterEach, expect, jest, test } from '@jest/globals';
import { S3Client } from '@aws-sdk/client-s3';
import { readableBucket, writableBucket } from '../../../lambdas/adapters/s3';

afterEach(() => jest.restoreAllMocks());

test('errors of S3 keep their name and say which object they are about', async () => {
  const failure = () => Object.assign(new Error('The specified key does not exist.'), { name: 'NoSuchKey' });
  jest.spyOn(S3Client.prototype, 'send').mockImplementation(() => Promise.reject(failure()));

  const named = { name: 'NoSuchKey', message: 'reports/run-1/plan.json: The specified key does not exist.' };
  await expect(readableBucket('bucket').getObject('reports/run-1/plan.json')).rejects.toMatchObject(named);
  const { putObject } = writableBucket('bucket');
  await expect(putObject('reports/run-1/plan.json', new Uint8Array(), 'text/plain')).rejects.toMatchObject(named);
});
