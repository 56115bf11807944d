/** How errors of S3 are passed on. */
import { withAwsEndpoint } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(() => import('../../../lambdas/adapters/s3'));

test('errors keep their name and say which object they are about', async () => {
  const body = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';
  aws.answer = () => ({ status: 404, body });
  const key = 'reports/run-1/plan.json';
  const named = { name: 'NoSuchKey', message: `${key}: The specified key does not exist.` };

  await expect(adapter.readableBucket('bucket').getObject(key)).rejects.toMatchObject(named);
  const { putObject } = adapter.writableBucket('bucket');
  await expect(putObject(key, new Uint8Array(), 'text/plain')).rejects.toMatchObject(named);
});
