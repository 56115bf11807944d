/** Evaluates the expressions as Step Functions does, and compares them with the TypeScript that computes the same. */
import jsonata from 'jsonata';
import { pairId } from '../../../domain/workflow/identifiers';
import {
  DATA_PATH_POLLING,
  HOST_POLLING,
  secondsUntilNextCommandPoll,
  secondsUntilNextPoll,
} from '../../../domain/workflow/polling';
import {
  COMMAND_STATUS_SENTENCES,
  CAUGHT_ERROR,
  pairErrorText,
  commandPauseExpression,
  elapsedSecondsExpression,
  hostNameExpression,
  invocationFailureExpression,
  lostHostsExpression,
  pairIdExpression,
  PAIR_WORDS,
  pauseExpression,
} from '../../../lib/orchestration/expressions';

async function evaluate(expression: string, variables: Record<string, unknown>): Promise<unknown> {
  const compiled = jsonata(expression);
  // Step Functions adds this function to JSONata.
  compiled.registerFunction('parse', (text: string) => JSON.parse(text) as unknown, '<s:x>');
  return compiled.evaluate({}, variables);
}

test('the id of a pair is the same as in TypeScript', async () => {
  for (const pairIndex of [0, 8, 9, 99, 999, 1234]) {
    expect(await evaluate(pairIdExpression('$pairIndex'), { pairIndex })).toBe(pairId(pairIndex));
  }
});

test('the pause between two polls of a command is the one that the history budget is computed with', async () => {
  for (const expectedSeconds of [2, 5, 8, 30, 65, 300, 1805]) {
    for (const elapsedSeconds of [0, 0.4, 3.9, 4, 10.2, 59.9, 61, 290, 296.5, 298, 1801.9, 1802, 1825, 4000]) {
      const pause = await evaluate(commandPauseExpression('$elapsedSeconds', '$expectedSeconds'), {
        elapsedSeconds,
        expectedSeconds,
      });
      expect({ expectedSeconds, elapsedSeconds, pause }).toEqual({
        expectedSeconds,
        elapsedSeconds,
        pause: secondsUntilNextCommandPoll(elapsedSeconds, expectedSeconds),
      });
    }
  }
});

test.each([
  ['hosts', HOST_POLLING],
  ['data path', DATA_PATH_POLLING],
])('the pause between two polls of the %s is the one that the history budget is computed with', async (_, polling) => {
  for (const elapsedSeconds of [0, 9.9, 10, 119, 120, 300]) {
    expect(await evaluate(pauseExpression(polling, '$elapsedSeconds'), { elapsedSeconds })).toBe(
      secondsUntilNextPoll(polling, elapsedSeconds),
    );
  }
});

test('elapsed seconds are counted from the time in a variable', async () => {
  const since = Date.now() - 5_000;
  const elapsed = await evaluate(elapsedSecondsExpression('$since'), { since });
  expect(elapsed).toBeGreaterThanOrEqual(5);
  expect(elapsed).toBeLessThanOrEqual((Date.now() - since) / 1000);
});

describe('the reason for a failed invocation', () => {
  const reasonOf = (invocation: unknown) =>
    evaluate(invocationFailureExpression('$given'), { given: invocation, ...PAIR_WORDS });

  test("is taken from the document's last line", async () => {
    const output =
      'chatter\n{"status": "failed", "exitCode": 1, "reason": "iperf3: error - unable to connect to server"}\n';
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: [{ Name: 'measure', Output: output }] })).toBe(
      'iperf3: error - unable to connect to server',
    );
  });

  test('keeps the quotes and backslashes that the tool wrote', async () => {
    const reason = 'unknown option "-Z" in C:\\tmp';
    const output = JSON.stringify({ status: 'failed', exitCode: 1, reason });
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: [{ Output: output }] })).toBe(reason);
  });

  test('is found before the error output that the service appends', async () => {
    const output =
      '{"status":"failed","exitCode":1,"reason":"no such tool"}\n----------ERROR-------\nsh: iperf3: not found';
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: [{ Output: output }] })).toBe('no such tool');
  });

  test('may be as long as the service lets an output be', async () => {
    const reason = `${'x'.repeat(2_000)}"${'\\'.repeat(100)}`;
    const output = JSON.stringify({ status: 'failed', exitCode: 1, reason });
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: [{ Output: output }] })).toBe(reason);
  });

  test('is that of the last step when several steps give one', async () => {
    const plugins = [
      { Output: '{"status":"failed","reason":"first"}' },
      { Output: '{"status":"failed","reason":"second"}' },
    ];
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: plugins })).toBe('second');
  });

  test("is the agent's own when the document's process was killed", async () => {
    const Output =
      'document process failed unexpectedly: ipc messaging received timeout signal , ' +
      'check [ssm-document-worker]/[ssm-session-worker] log for crash reason';
    expect(await reasonOf({ StatusDetails: 'Failed', CommandPlugins: [{ Name: 'measure', Output }] })).toBe(Output);
  });

  test.each([
    ['nothing was printed', [{ Output: '' }]],
    ['the reason is empty', [{ Output: '{"status":"failed","exitCode":1,"reason":""}' }]],
    ['nothing ran', []],
    ['there are no details', undefined],
    ['the line was cut off', [{ Output: '{"status":"failed","exitCode":1,"reason":"iperf3: err' }]],
    ['what was printed is not JSON', [{ Output: 'Segmentation fault' }]],
  ])("is a sentence for the service's status when %s", async (_, CommandPlugins) => {
    expect(await reasonOf({ StatusDetails: 'DeliveryTimedOut', CommandPlugins })).toBe(
      'the SSM agent did not fetch the command within 60 s (DeliveryTimedOut)',
    );
  });

  test.each(Object.entries(COMMAND_STATUS_SENTENCES))('%s: %s', async (status, sentence) => {
    expect(await reasonOf({ StatusDetails: status, CommandPlugins: [] })).toBe(`${sentence} (${status})`);
  });

  test('knows a status in the spelling of the documentation, with blanks', async () => {
    expect(await reasonOf({ StatusDetails: 'Invalid Platform' })).toBe(
      "the command's document is not for the operating system of the host (Invalid Platform)",
    );
  });

  test('quotes a status that is not in the list', async () => {
    expect(await reasonOf({ StatusDetails: 'Evaporated' })).toBe(
      'Systems Manager ended the command with the status Evaporated, and no reason was given',
    );
  });
});

describe.each([
  ['a run', CAUGHT_ERROR, {}],
  ['a pair', pairErrorText(), PAIR_WORDS],
])('the text of an error that %s catches', (_, expression, words) => {
  const textOf = (errorOutput: unknown) => evaluate(expression, { states: { errorOutput }, ...words });

  test("is the handler's own message, without the name of its error, when a handler threw it", async () => {
    const Cause = JSON.stringify({ errorType: 'LaunchFailedError', errorMessage: 'no room in any zone', trace: ['…'] });
    expect(await textOf({ Error: 'LaunchFailedError', Cause })).toBe('no room in any zone');
    expect(await textOf({ Error: 'Error', Cause })).toBe('no room in any zone');
    expect(await textOf({ Error: 'LaunchFailedError' })).toBe('LaunchFailedError');
  });

  test("is the service's cause, unchanged, when a service returned it", async () => {
    expect(
      await textOf({ Error: 'Ec2.Ec2Exception', Cause: 'You are not authorized (Service: Ec2, Status Code: 403)' }),
    ).toBe('Ec2.Ec2Exception: You are not authorized (Service: Ec2, Status Code: 403)');
  });

  test('is the cause as it is when the service cut it', async () => {
    const Cause = JSON.stringify({ errorType: 'InvalidPlanError', errorMessage: 'plan.name: must be' }).slice(0, -1);
    expect(await textOf({ Error: 'InvalidPlanError', Cause })).toBe(Cause);
  });

  test('is only the name of the error when there is no cause', async () => {
    expect(await textOf({ Error: 'States.Timeout' })).toBe('States.Timeout');
  });
});

test('a pair tells of an error that an earlier state caught', async () => {
  const lookError = { Error: 'Ssm.ThrottlingException', Cause: 'Rate exceeded' };
  const text = await evaluate(pairErrorText('$lookError'), { lookError, ...PAIR_WORDS });
  expect(text).toBe('Ssm.ThrottlingException: Rate exceeded');
});

test('a host is named by its role and its id', async () => {
  const pair = { clientInstanceId: 'i-0c', serverInstanceId: 'i-05' };
  expect(await evaluate(hostNameExpression('$id'), { pair, id: 'i-0c' })).toBe('client i-0c');
  expect(await evaluate(hostNameExpression('$id'), { pair, id: 'i-05' })).toBe('server i-05');
});

test('a lost host is named with its state, and with the reason that EC2 gives', async () => {
  const reservations = [
    { Instances: [{ InstanceId: 'i-0c', State: { Name: 'running' } }] },
    {
      Instances: [
        {
          InstanceId: 'i-05',
          State: { Name: 'terminated' },
          StateReason: { Code: 'Client.InternalError', Message: 'Client.InternalError: Client error on launch' },
        },
      ],
    },
  ];
  const lost = (given: unknown) =>
    evaluate(lostHostsExpression('$given'), { given, pair: { clientInstanceId: 'i-0c', serverInstanceId: 'i-05' } });
  expect(await lost(reservations)).toEqual([
    'host server i-05 is no longer running (terminated: Client.InternalError: Client error on launch)',
  ]);
  expect(await lost([{ Instances: [{ InstanceId: 'i-0c', State: { Name: 'stopped' } }] }])).toEqual([
    'host client i-0c is no longer running (stopped)',
  ]);
  expect(await lost(reservations.slice(0, 1))).toEqual([]);
});
