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

test.each([
  ['as many bytes as allowed', 5, 'abcde'],
  ['more', 4, undefined],
])('an object of %s', async (_, maxBytes, expected) => {
  aws.answer = () => ({ status: 200, body: 'abcde' });

  const body = await adapter.readableBucket('bucket').getObjectUpTo('key', maxBytes);

  expect(body && Buffer.from(body).toString()).toBe(expected);
});

test('a list of keys ends with the page that has enough of them', async () => {
  const key = (index: number) => `<Contents><Key>raw/${index}</Key></Contents>`;
  aws.answer = () => ({
    status: 200,
    body:
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${aws.requests.length}` +
      `</NextContinuationToken>${key(aws.requests.length * 2)}${key(aws.requests.length * 2 + 1)}</ListBucketResult>`,
  });

  const keys = await adapter.listableBucket('bucket').listObjects('raw/', 3);

  expect(keys).toEqual(['raw/2', 'raw/3', 'raw/4', 'raw/5']);
  expect(aws.requests).toHaveLength(2);
});

test.each([
  ['is deleted in the version that was read', '"read"', 204, '', true],
  ['stays in another version', '"other"', 412, '<Error><Code>PreconditionFailed</Code></Error>', false],
  ['that another deletion has removed is gone', '"gone"', 404, '<Error><Code>NoSuchKey</Code></Error>', true],
])('an object %s', async (_, etag, status, body, isGone) => {
  aws.answer = ({ ifMatch }) => (ifMatch === etag ? { status, body } : { status: 500, body: '' });

  expect(await adapter.conditionallyDeletableBucket('bucket').deleteVersion({ key: 'key', etag })).toBe(isGone);
});
