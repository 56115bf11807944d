import { withAwsEndpoint } from '../../support/aws-endpoint';

const MACHINE = 'arn:aws:states:eu-test-1:123456789012:stateMachine:network-benchmark';
const executionOf = (name: string) => MACHINE.replace('stateMachine', 'execution') + `:${name}`;
const ALICE = 'arn:aws:sts::123456789012:assumed-role/Engineer/alice';
const BOB = 'arn:aws:iam::123456789012:user/bob';

const { aws, adapter } = withAwsEndpoint(() => import('../../../lambdas/adapters/cloudtrail'));

/** The call that started an execution; without a name, one that was refused. */
const event = (userIdentity: object, name?: string) => ({
  CloudTrailEvent: JSON.stringify({
    userIdentity,
    responseElements: name === undefined ? null : { executionArn: executionOf(name) },
  }),
});

/** Answers with one page of events after another; the last one is the last. */
function answer(...pages: object[][]): void {
  aws.answer = ({ body }) => {
    const page = Number((JSON.parse(body) as { NextToken?: string }).NextToken ?? 0);
    const NextToken = page + 1 < pages.length ? String(page + 1) : undefined;
    return { status: 200, body: JSON.stringify({ Events: pages[page], NextToken }) };
  };
}
const find = () => adapter.findStarter(MACHINE, 'run-1', new Date('2026-11-20T10:00:00Z'));

test.each([
  ['a role session', [[event({ arn: ALICE }, 'run-1')]], ALICE],
  ['a service', [[event({ invokedBy: 'scheduler.amazonaws.com' }, 'run-1')]], 'scheduler.amazonaws.com'],
  [
    'not who started another run, whose name begins alike, or was refused',
    [[event({ arn: BOB }, 'run-10'), event({ arn: BOB })]],
    undefined,
  ],
  [
    'on a later page, after others',
    [[event({ arn: BOB }, 'run-2')], [event({ arn: BOB })], [event({ arn: ALICE }, 'run-1')]],
    ALICE,
  ],
  ['nobody on the fifth page', [[], [], [], [], [event({ arn: ALICE }, 'run-1')]], undefined],
])('the starter of a run: %s', async (_what, pages, starter) => {
  answer(...pages);
  expect(await find()).toBe(starter);
});

test('looks at two minutes before the plan was stored, and five seconds after', async () => {
  answer([]);
  await find();
  const at = (text: string) => Date.parse(text) / 1000;
  expect(aws.requests.map(({ body }) => JSON.parse(body) as object)).toEqual([
    {
      LookupAttributes: [{ AttributeKey: 'EventName', AttributeValue: 'StartExecution' }],
      StartTime: at('2026-11-20T09:58:00Z'),
      EndTime: at('2026-11-20T10:00:05Z'),
    },
  ]);
});
