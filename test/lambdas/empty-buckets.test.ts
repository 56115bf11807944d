/** The custom resource's function over the real SDK: which buckets it empties, and what CloudFormation is answered. */
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import type { CloudFormationRequest } from '../../lambdas/shared/custom-resource';
import { AwsEndpoint } from '../support/aws-endpoint';

const aws = new AwsEndpoint();
const KEYS = ['raw/a&b.gz', 'reports/run-1/summary.json', 'payload/AROA:i-1/object'];

/** The buckets of the test by name: the tags of each, and its objects. */
let buckets: Record<string, { readonly tags: readonly string[]; keys: readonly string[] }>;
let protectedKey: string | undefined;

beforeAll(async () => {
  // The handler brings its logger with it, which writes to the test's output.
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  await aws.start();
});

afterAll(() => {
  aws.stop();
});

beforeEach(() => {
  aws.requests.length = 0;
  protectedKey = undefined;
  buckets = {
    results: { tags: ['team', EMPTIED_WITH_STACK_TAG], keys: KEYS },
    payload: { tags: [EMPTIED_WITH_STACK_TAG], keys: [] },
    kept: { tags: ['team'], keys: KEYS },
    untagged: { tags: [], keys: KEYS },
  };
  aws.answer = ({ path, body }) => {
    if (path.startsWith('/answer')) return { status: path.includes('expired') ? 403 : 200, body: '' };
    const bucket = buckets[path.slice(1).split(/[/?]/)[0]!];
    if (bucket === undefined) return error(404, 'NoSuchBucket');
    if (path.includes('tagging')) {
      if (bucket.tags.length === 0) return error(404, 'NoSuchTagSet');
      const tags = bucket.tags.map((key) => `<Tag><Key>${key}</Key><Value>true</Value></Tag>`).join('');
      return { status: 200, body: `<Tagging><TagSet>${tags}</TagSet></Tagging>` };
    }
    if (path.includes('delete')) {
      const refused = KEYS.filter((key) => key === protectedKey);
      bucket.keys = bucket.keys.filter((key) => refused.includes(key) || !body.includes(`<Key>${escaped(key)}</Key>`));
      const errors = refused.map(
        (key) => `<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>no</Message></Error>`,
      );
      return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
    }
    return { status: 200, body: page(bucket.keys, path) };
  };
});

/** Two keys per page, of what there was when the listing began: a token is the rest of it. */
function page(keys: readonly string[], path: string): string {
  const token = new URL(path, 'http://s3').searchParams.get('continuation-token');
  const listed = token === null ? keys : (JSON.parse(token) as string[]);
  const rest = listed.slice(2);
  const next =
    rest.length === 0 ? '' : `<NextContinuationToken>${escaped(JSON.stringify(rest))}</NextContinuationToken>`;
  const contents = listed.slice(0, 2).map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`);
  const truncated = `<IsTruncated>${rest.length > 0}</IsTruncated>`;
  return `<ListBucketResult>${truncated}${next}${contents.join('')}</ListBucketResult>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function error(status: number, code: string) {
  return { status, body: `<Error><Code>${code}</Code><Message>no</Message></Error>` };
}

async function handle(RequestType: CloudFormationRequest['RequestType'], BucketNames: readonly string[], url = '') {
  const { handler } = await import('../../lambdas/empty-buckets/handler');
  await handler({
    RequestType,
    RequestId: 'request-1',
    ResponseURL: `${process.env.AWS_ENDPOINT_URL}/answer${url}`,
    StackId: 'arn:stack',
    LogicalResourceId: 'Emptied',
    ...(RequestType === 'Create' ? {} : { PhysicalResourceId: 'Emptied' }),
    ResourceProperties: { BucketNames, VpcIds: [] },
  });
  const answers = aws.requests.filter(({ path }) => path.startsWith('/answer'));
  expect(answers).toHaveLength(1);
  return JSON.parse(answers[0]!.body) as Record<string, string>;
}

describe('deleting the stack', () => {
  test('empties its buckets, page by page', async () => {
    expect(await handle('Delete', ['results', 'payload'])).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'Emptied',
      StackId: 'arn:stack',
      RequestId: 'request-1',
      LogicalResourceId: 'Emptied',
    });
    expect([buckets.results!.keys, buckets.payload!.keys]).toEqual([[], []]);
  });

  test('keeps a bucket from which an update has taken the tag, and one that never had tags', async () => {
    expect(await handle('Delete', ['kept', 'untagged'])).toMatchObject({ Status: 'SUCCESS' });
    expect([buckets.kept!.keys, buckets.untagged!.keys]).toEqual([KEYS, KEYS]);
  });

  test('goes on when a bucket is gone already', async () => {
    expect(await handle('Delete', ['gone', 'results'])).toMatchObject({ Status: 'SUCCESS' });
    expect(buckets.results!.keys).toEqual([]);
  });

  test('fails with the reason when S3 keeps an object', async () => {
    protectedKey = KEYS[1];
    expect(await handle('Delete', ['results'])).toMatchObject({
      Status: 'FAILED',
      Reason: `Error: s3://results/${KEYS[1]}: could not be deleted: AccessDenied: no`,
    });
  });
});

test.each(['Create', 'Update'] as const)('a request to %s touches no object', async (type) => {
  expect(await handle(type, ['results'])).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'Emptied' });
  expect(buckets.results!.keys).toEqual(KEYS);
});

test('fails when CloudFormation does not take the answer, so that Lambda invokes it again', async () => {
  await expect(handle('Create', [], '?expired')).rejects.toThrow('answer to CloudFormation: must be accepted, got 403');
});
