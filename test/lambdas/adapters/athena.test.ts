import { withAwsEndpoint } from '../../support/aws-endpoint';

const { aws, adapter } = withAwsEndpoint(() => import('../../../lambdas/adapters/athena'));

const query = { sql: 'SELECT 1', database: 'benchmark', workGroup: 'workgroup', deadlineSeconds: 10 };

/** Answers with these states one after the other, then the pages of the result. */
function arrange(
  states: readonly { State: string; StateChangeReason?: string }[],
  pages: readonly unknown[] = [],
): void {
  const left = { states: [...states], pages: [...pages] };
  aws.answer = ({ action }) => {
    const answers: Record<string, () => unknown> = {
      StartQueryExecution: () => ({ QueryExecutionId: 'query-1' }),
      GetQueryExecution: () => ({
        QueryExecution: { Status: left.states.length > 1 ? left.states.shift() : left.states[0] },
      }),
      GetQueryResults: () => left.pages.shift(),
      StopQueryExecution: () => ({}),
    };
    return { status: 200, body: JSON.stringify(answers[action]!()) };
  };
}

const row = (...cells: (string | undefined)[]) => ({
  Data: cells.map((cell) => (cell === undefined ? {} : { VarCharValue: cell })),
});

describe('a query', () => {
  test('is waited for, and its rows come by the name of their column, NULL absent, over all pages', async () => {
    arrange(
      [{ State: 'QUEUED' }, { State: 'SUCCEEDED' }],
      [
        { ResultSet: { Rows: [row('type', 'count'), row('c5.xlarge', '3')] }, NextToken: 'more' },
        { ResultSet: { Rows: [row('m5.large', undefined)] } },
      ],
    );

    expect(await adapter.runAthenaQuery(query)).toEqual([
      { type: 'c5.xlarge', count: '3' },
      { type: 'm5.large', count: undefined },
    ]);
    expect(JSON.parse(aws.requests[0]!.body)).toMatchObject({
      QueryString: 'SELECT 1',
      QueryExecutionContext: { Database: 'benchmark' },
      WorkGroup: 'workgroup',
    });
  });

  test.each(['FAILED', 'CANCELLED'])('fails with the reason of Athena when it is %s', async (State) => {
    arrange([{ State, StateChangeReason: 'TABLE_NOT_FOUND' }]);

    await expect(adapter.runAthenaQuery(query)).rejects.toThrow(
      `Athena query: ${State.toLowerCase()}: TABLE_NOT_FOUND`,
    );
  });

  test('fails at its deadline and is stopped, to cost nothing more', async () => {
    arrange([{ State: 'RUNNING' }]);

    await expect(adapter.runAthenaQuery({ ...query, deadlineSeconds: -1 })).rejects.toThrow(
      'must end within -1 s, was RUNNING then',
    );
    expect(aws.requests.at(-1)).toMatchObject({ action: 'StopQueryExecution' });
  });
});
