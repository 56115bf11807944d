/** Each failure is repeated by exactly one layer: how many requests the real SDK sends for a call that fails. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ConnectPairDependencies } from '../../lambdas/connect-pair/connecting';
import type { LaunchPairDependencies } from '../../lambdas/launch-pair/launch-pair';
import { AwsEndpoint } from '../support/aws-endpoint';
import { launching, plannedPair } from '../support/launching';

const aws = new AwsEndpoint();

beforeAll(async () => {
  await aws.start();
});

afterAll(() => {
  aws.stop();
});

beforeEach(() => {
  aws.requests.length = 0;
  // The SDK pauses for a random part of a growing time: none of it, here.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Answers every request with this error, in the query protocols of EC2 and Elastic Load Balancing and in JSON. */
function answerError(status: number, code: string): void {
  aws.answer = ({ action, path, body }) => {
    if (action !== '') return { status, body: JSON.stringify({ __type: code, message: 'no' }) };
    if (path.startsWith('/results')) return { status, body: `<Error><Code>${code}</Code></Error>` };
    const error = `<Error><Code>${code}</Code><Message>no</Message></Error>`;
    const isEc2 = body.includes('Version=2016-11-15');
    return {
      status,
      body: isEc2 ? `<Response><Errors>${error}</Errors></Response>` : `<ErrorResponse>${error}</ErrorResponse>`,
    };
  };
}

const load = {
  hosts: () => import('../../lambdas/adapters/ec2-hosts'),
  launch: () => import('../../lambdas/adapters/ec2-launch'),
  groups: () => import('../../lambdas/adapters/ec2-path'),
  groupRemoval: () => import('../../lambdas/adapters/ec2-hosts'),
  balancers: () => import('../../lambdas/adapters/elb-load-balancers'),
  balancerRemoval: () => import('../../lambdas/adapters/elb-removal'),
  executions: () => import('../../lambdas/adapters/sfn'),
  objects: () => import('../../lambdas/adapters/s3'),
};

describe('a call that only the SDK repeats', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['finding hosts', async () => (await load.hosts()).findHosts({})],
    ['terminating hosts', async () => (await load.hosts()).terminateHosts(['i-1'])],
    ['removing a security group', async () => (await load.groupRemoval()).deleteSecurityGroup('sg-1')],
    ['removing a load balancer', async () => (await load.balancerRemoval()).deleteLoadBalancer('arn')],
    ['describing an execution', async () => (await load.executions()).describeExecution('arn', 'run-1')],
    ['reading an object', async () => (await load.objects()).readableBucket('results').getObject('key')],
  ])('%s: the SDK sends six requests when it is throttled, and then the call fails', async (_, call) => {
    answerError(400, 'ThrottlingException');

    await expect(call()).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect(aws.requests).toHaveLength(6);
  });
});

describe('a call that its caller repeats', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['creating a placement group', async () => (await load.launch()).createPlacementGroup('group', 'cluster', {})],
    ['admitting traffic', async () => (await load.groups()).admitTraffic('sg-1', [{ cidr: '10.0.0.1/32' }])],
    ['finding a load balancer', async () => (await load.balancers()).findLoadBalancer('name')],
  ])('%s: the SDK sends one request', async (_, call) => {
    for (const [status, code] of [
      [400, 'Throttling'],
      [503, 'ServiceUnavailable'],
    ] as const) {
      aws.requests.length = 0;
      answerError(status, code);

      await expect(call()).rejects.toMatchObject({ name: code });
      expect(aws.requests).toHaveLength(1);
    }
  });
});

describe('launch-pair over the real SDK', () => {
  async function launchingForReal(overrides: Partial<LaunchPairDependencies> = {}) {
    const { runHost } = await load.launch();
    return launching(plannedPair({}), { runHost, ...overrides });
  }

  test.each([
    [503, 'RequestLimitExceeded'],
    [500, 'InternalError'],
    [400, 'InvalidGroup.NotFound'],
  ])('sends six requests in all when EC2 answers %s %s, and pauses between them itself', async (status, code) => {
    answerError(status, code);
    const { launchPair, slept } = await launchingForReal();

    await expect(launchPair()).rejects.toMatchObject({ name: 'LaunchFailedError' });
    expect(aws.requests).toHaveLength(6);
    expect(slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test('sends one request per zone without room, although EC2 answers with a 5xx', async () => {
    answerError(500, 'InsufficientInstanceCapacity');
    const { launchPair, slept } = await launchingForReal();

    await expect(launchPair()).rejects.toThrow(/no room .* eu-test-1a: .* eu-test-1b: .* eu-test-1c: /);
    expect(aws.requests).toHaveLength(3);
    expect(slept).toEqual([]);
  });

  test('sends one request if repeating would not help', async () => {
    answerError(400, 'VcpuLimitExceeded');
    const { launchPair } = await launchingForReal();

    await expect(launchPair()).rejects.toThrow('VcpuLimitExceeded');
    expect(aws.requests).toHaveLength(1);
  });
});

describe('an object that is written once, while S3 answers that another write of its key goes on', () => {
  const putOnce = async () => {
    const { putObjectOnce } = (await load.objects()).writableBucket('results');
    return putObjectOnce('key', new Uint8Array(), 'text/plain');
  };
  const conflictsBefore = (count: number, last: { status: number; body: string }) => {
    const conflict = { status: 409, body: '<Error><Code>ConditionalRequestConflict</Code></Error>' };
    aws.answer = () => (aws.requests.length <= count ? conflict : last);
  };

  test.each([
    ['the object, if the other write came to nothing', { status: 200, body: '' }, true],
    ['that the key is taken', { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' }, false],
  ])('asks again and stores or learns: %s', async (_, last, expected) => {
    conflictsBefore(2, last);

    await expect(putOnce()).resolves.toBe(expected);
    expect(aws.requests).toHaveLength(3);
  });

  test('fails after six requests with an error that a state machine repeats', async () => {
    conflictsBefore(Infinity, { status: 200, body: '' });
    const { namingPassingErrors } = await import('../../lambdas/adapters/passing-errors');

    await expect(namingPassingErrors(putOnce)({})).rejects.toMatchObject({ name: 'PassingError' });
    expect(aws.requests).toHaveLength(6);
  });
});

test.each([
  [400, 'Throttling'],
  [503, 'ServiceUnavailable'],
])('connect-pair sends one request when it is answered %s %s, and is asked again', async (status, code) => {
  answerError(status, code);
  const { makeConnectPair } = await import('../../lambdas/connect-pair/connect-pair');
  const { store, launchPair } = launching(plannedPair({ path: 'nlb' }));
  await launchPair();
  const deps = {
    stackName: 'TheStack',
    store: store.adapter,
    findLoadBalancer: (await load.balancers()).findLoadBalancer,
    log: () => undefined,
  } as unknown as ConnectPairDependencies;

  const answer = await makeConnectPair(deps)({ runId: 'run-1', pairIndex: 0 });

  expect(answer).toEqual({ ready: false, waitingFor: `AWS (${code}: no)` });
  expect(aws.requests).toHaveLength(1);
});
