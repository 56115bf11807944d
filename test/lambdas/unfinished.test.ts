/** A handler whose calls AWS does not answer ends with the one error on which the state machine invokes it again. */
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { namingPassingErrors } from '../../lambdas/adapters/passing-errors';
import { AwsEndpoint } from '../support/aws-endpoint';
import { awsError } from '../support/fake-ec2';

const aws = new AwsEndpoint();

beforeAll(async () => {
  await aws.start();
  Object.assign(process.env, {
    ATHENA_WORKGROUP: 'workgroup',
    BUCKET_NAME: 'results',
    GLUE_DATABASE: 'database',
    HOST_ROLE_ID: 'AROA',
    HOST_VPCS: '',
    IMAGE_PARAMETERS: '',
    LIMITS: '{}',
    PAIR_STATE_MACHINE_ARN: 'arn:aws:states:eu-test-1:123456789012:stateMachine:pair',
    PAYLOAD_BUCKET_NAME: 'payload',
    PRESIGNED_REPORT_HOURS: '0',
    PEERED_SUBNET_IDS: '',
    PUBLIC_ADDRESSES: 'true',
    STACK_NAME: 'TheStack',
    RUN_STATE_MACHINE_ARN: 'arn:aws:states:eu-test-1:123456789012:stateMachine:run',
    SUBNET_IDS: 'subnet-a',
    TAGS: '{}',
    VPC_ID: 'vpc-1',
  });
  // The SDK pauses for a random part of a growing time: none of it, here.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  aws.requests.length = 0;
});

afterAll(() => {
  aws.stop();
  jest.restoreAllMocks();
});

const PAIR = { runId: 'run-1', pairIndex: 0 };
const PLAN = {
  name: 'smoke',
  pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 10 }],
};

type Handler = (request: never) => Promise<unknown>;

describe.each<[string, () => Promise<{ handler: Handler }>, unknown]>([
  [
    'analyse-measurement',
    () => import('../../lambdas/analyse-measurement/handler'),
    { ...PAIR, measurementIndex: 0, acceptTruncated: true, failureReason: null },
  ],
  ['connect-pair', () => import('../../lambdas/connect-pair/handler'), PAIR],
  ['plan-run', () => import('../../lambdas/plan-run/handler'), { runId: 'run-1', plan: PLAN }],
  [
    'summarise-run',
    () => import('../../lambdas/summarise-run/handler'),
    { runId: 'run-1', pairs: [], interruptedReason: null },
  ],
])('%s', (_, load, request) => {
  test('ends with PassingError and the words of AWS when AWS throttles it', async () => {
    const body = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';
    aws.answer = ({ action }) =>
      action === '' ? { status: 503, body } : { status: 503, body: JSON.stringify({ __type: 'SlowDown' }) };
    const { handler } = await load();

    await expect(handler(request as never)).rejects.toMatchObject({ name: 'PassingError' });
    expect(aws.requests.length).toBeGreaterThan(1);
  });

  test('keeps an error that does not pass', async () => {
    aws.answer = ({ action }) => ({
      status: 403,
      body: action === '' ? '<Error><Code>AccessDenied</Code></Error>' : '{"__type":"AccessDeniedException"}',
    });
    const { handler } = await load();

    await expect(handler(request as never)).rejects.not.toMatchObject({ name: 'PassingError' });
  });
});

test('the words of AWS are kept', async () => {
  const handler = namingPassingErrors(() => Promise.reject(awsError('ThrottlingException', 'Rate exceeded')));
  await expect(handler({})).rejects.toThrow('ThrottlingException: Rate exceeded');
});
