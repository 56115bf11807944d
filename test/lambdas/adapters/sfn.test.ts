import { withAwsEndpoint } from '../../support/aws-endpoint';

const MACHINE = 'arn:aws:states:eu-test-1:123456789012:stateMachine:pair-benchmark';
const EXECUTION = 'arn:aws:states:eu-test-1:123456789012:execution:pair-benchmark:run-1-p0001';

const { aws, adapter: sfn } = withAwsEndpoint(() => import('../../../lambdas/adapters/sfn'));

const answerJson = (status: number, body: unknown) => {
  aws.answer = () => ({ status, body: JSON.stringify(body) });
};

test('an execution is described by its machine and name, its failure included', async () => {
  answerJson(200, {
    status: 'FAILED',
    startDate: 1763636400.25,
    stopDate: 1763640000,
    error: 'PairFailed',
    cause: '{}',
  });

  expect(await sfn.describeExecution(MACHINE, 'run-1-p0001')).toEqual({
    name: 'run-1-p0001',
    arn: EXECUTION,
    status: 'FAILED',
    startedAt: new Date('2025-11-20T11:00:00.250Z'),
    endedAt: new Date('2025-11-20T12:00:00Z'),
    error: 'PairFailed',
    cause: '{}',
  });
  expect(JSON.parse(aws.requests[0]!.body)).toEqual({ executionArn: EXECUTION });
});

test('one that succeeded has its output', async () => {
  answerJson(200, {
    status: 'SUCCEEDED',
    startDate: 1763636400,
    stopDate: 1763640000,
    output: '{"status":"complete"}',
  });

  expect(await sfn.describeExecution(MACHINE, 'run-1-p0001')).toMatchObject({
    status: 'SUCCEEDED',
    output: '{"status":"complete"}',
  });
});

test('one that was never started is absent', async () => {
  answerJson(400, { __type: 'ExecutionDoesNotExist', message: 'no' });

  expect(await sfn.describeExecution(MACHINE, 'run-1-p0001')).toBeUndefined();
});

test('fails when it may not be described: that is no absence', async () => {
  answerJson(400, { __type: 'AccessDeniedException', message: 'no' });

  await expect(sfn.describeExecution(MACHINE, 'run-1-p0001')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test.each([
  [true, ['ExecutionStarted', 'TaskStateEntered', 'TaskScheduled', 'TaskFailed', 'TaskScheduled', 'TaskSucceeded']],
  [false, ['ExecutionStarted', 'TaskStateEntered', 'TaskScheduled', 'TaskStarted', 'ExecutionAborted']],
])('that a task of it has succeeded is %s after %j', async (expected, types) => {
  answerJson(200, { events: types.map((type, index) => ({ id: index + 1, type })) });

  expect(await sfn.hasSucceededTask(MACHINE, 'run-1-p0001')).toBe(expected);
  expect(JSON.parse(aws.requests[0]!.body)).toEqual({
    executionArn: EXECUTION,
    maxResults: 100,
    includeExecutionData: false,
  });
});

test('running executions come over all pages', async () => {
  const pages = [
    { executions: [{ name: 'run-1-p0001' }], nextToken: 'more' },
    { executions: [{ name: 'run-1-p0002' }] },
  ];
  aws.answer = () => ({ status: 200, body: JSON.stringify(pages.shift()) });

  expect(await sfn.listRunningExecutions(MACHINE)).toEqual(['run-1-p0001', 'run-1-p0002']);
  expect(JSON.parse(aws.requests[0]!.body)).toMatchObject({ stateMachineArn: MACHINE, statusFilter: 'RUNNING' });
});

test('executions that ended without success take one request per status, however many there are', async () => {
  const pages = [
    {
      executions: [
        { name: 'late', stopDate: 1763640000 },
        { name: 'early', stopDate: 1763639999 },
      ],
      nextToken: 'more',
    },
    { executions: [{ name: 'timed-out', stopDate: 1763640001 }] },
    { executions: [] },
  ];
  aws.answer = () => ({ status: 200, body: JSON.stringify(pages.shift()) });

  const names = await sfn.listUnsuccessfulExecutions(MACHINE, new Date('2025-11-20T12:00:00Z'));

  expect(names).toEqual(['late', 'timed-out']);
  const requests = aws.requests.map(({ body }) => JSON.parse(body) as unknown);
  expect(requests).toEqual(
    ['FAILED', 'TIMED_OUT', 'ABORTED'].map((statusFilter) => ({
      stateMachineArn: MACHINE,
      statusFilter,
      maxResults: 1000,
    })),
  );
});

test('stopping says why', async () => {
  answerJson(200, {});

  await sfn.stopExecution(MACHINE, 'run-1-p0001', 'RunEnded', 'the run was stopped');

  expect(JSON.parse(aws.requests[0]!.body)).toEqual({
    executionArn: EXECUTION,
    error: 'RunEnded',
    cause: 'the run was stopped',
  });
});
