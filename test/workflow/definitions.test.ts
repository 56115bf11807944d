/** Rules that both definitions keep, checked on the template. The end-to-end tests in the lab execute them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getLanguageService, TextDocument } from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { ErrorName } from '../../domain/workflow/error-names';
import { HISTORY_EVENT_BUDGET } from '../../domain/workflow/polling';
import {
  allStates,
  definition,
  flatten,
  MACHINES,
  resource,
  successors,
  type Definition,
  type State,
} from '../support/synth';

/** Names of the states that `from` can reach. */
function reachable({ States }: Definition, from: string): Set<string> {
  const seen = new Set<string>();
  const pending = [from];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    pending.push(...successors(States[name]!));
  }
  return seen;
}

function tasks(machineDefinition: Definition): [string, State][] {
  return Object.entries(allStates(machineDefinition)).filter(([, state]) => state.Type === 'Task');
}

/** All strings of a definition that are expressions. */
function expressions(value: unknown): string[] {
  if (typeof value === 'string') return /^\{%[^]*%\}$/.test(value) ? [value.slice(2, -2)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(expressions);
}

/** The value of a field that is one expression, as Step Functions computes it, which adds `$parse` to JSONata. */
async function evaluated(field: unknown, variables: Readonly<Record<string, unknown>>): Promise<unknown> {
  const expression = jsonata((field as string).slice(2, -2));
  expression.registerFunction('parse', (text: string) => JSON.parse(text) as unknown, '<s:x>');
  return expression.evaluate({}, variables);
}

/** The value of a field that is one expression over the result of its state. */
async function evaluatedWithResult(field: unknown, result: unknown): Promise<unknown> {
  return jsonata((field as string).slice(2, -2)).evaluate({}, { states: { result } });
}

/** How long a state waits, at most, while a call is refused with an error. */
function waitOf(name: string, state: State, error: string) {
  const retry = state.Retry!.find(({ ErrorEquals }) => ErrorEquals.includes(error))!;
  const pauses = Array.from({ length: retry.MaxAttempts }, (_, attempt) =>
    Math.min(retry.IntervalSeconds * retry.BackoffRate ** attempt, retry.MaxDelaySeconds ?? Infinity),
  );
  return {
    name,
    jitter: retry.JitterStrategy,
    longestPauseSeconds: pauses.at(-1),
    seconds: pauses.reduce((sum, pause) => sum + pause, 0),
  };
}

/** What AWS's own linter, of its toolkit for editors, has to say. */
async function diagnostics(machineDefinition: Definition): Promise<string[]> {
  const document = TextDocument.create('file:///definition.asl.json', 'asl', 1, JSON.stringify(machineDefinition));
  const service = getLanguageService({});
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message, range }) => `${document.getText(range)}: ${JSON.stringify(message)}`);
}

describe.each(MACHINES)('%s', (machine) => {
  const machineDefinition = definition(machine);

  test('is valid Amazon States Language', () => {
    const verdict = aslValidator(machineDefinition);
    expect(verdict.errorsText(' | ')).toBe('');
    expect(verdict.isValid).toBe(true);
  });

  test("has nothing that AWS's own linter objects to", async () => {
    expect(await diagnostics(machineDefinition)).toEqual([]);
  });

  test('uses only JSONata, and every expression parses', () => {
    expect(machineDefinition.QueryLanguage).toBe('JSONata');
    expect(JSON.stringify(machineDefinition)).not.toContain('"QueryLanguage":"JSONPath"');
    const all = expressions(machineDefinition);
    expect(all.length).toBeGreaterThan(6);
    for (const expression of all) {
      expect(() => jsonata(expression)).not.toThrow();
      // Step Functions runs JSONata 2.0.6, the version that parses here, without this function.
      expect(expression).not.toContain('$eval');
    }
  });

  test('has a timeout on every task', () => {
    for (const [name, state] of tasks(machineDefinition)) {
      expect({ name, timeoutSeconds: state.TimeoutSeconds }).toEqual({ name, timeoutSeconds: expect.any(Number) });
    }
    expect(machineDefinition.TimeoutSeconds).toEqual(expect.any(Number));
  });

  test('has no state that cannot be reached', () => {
    const found = reachable(machineDefinition, machineDefinition.StartAt);
    expect([...found].sort()).toEqual(Object.keys(machineDefinition.States).sort());
  });

  test('writes its failures to a log', () => {
    const { LoggingConfiguration } = resource('AWS::StepFunctions::StateMachine', `${machine}StateMachine`).Properties;
    expect(LoggingConfiguration).toMatchObject({ Level: 'ERROR', IncludeExecutionData: true });
  });
});

describe("AWS's own linter", () => {
  const states = definition('PairBenchmark').States;

  test.each([
    ['a state without a way on', { 'Begin pair': { ...states['Begin pair']!, Next: undefined } }, 'Missing property'],
    [
      'a way to nowhere',
      { 'Begin pair': { ...states['Begin pair']!, Next: 'Launch' } },
      'must be the name of an existing state',
    ],
    ['a state that nothing leads to', { Lost: { Type: 'Pass', End: true } }, 'cannot be reached'],
    ['a Catch of a Pass', { 'Pair failed': { ...states['Pair failed']!, Catch: [] } }, 'not supported'],
  ])('objects to %s', async (_, planted, message) => {
    const found = await diagnostics({ ...definition('PairBenchmark'), States: { ...states, ...planted } });
    expect(found.join('\n')).toContain(message);
  });
});

describe('the pair', () => {
  const pair = definition('PairBenchmark');
  const tearDown = 'Tear down pair';
  const isTearDown = (name: string) => name.startsWith(tearDown);
  const disconnect = 'Disconnect pair';
  const isDisconnect = (name: string) => name.startsWith(disconnect);

  test('reaches the teardown from every task that comes before it, whatever error the task has', () => {
    const between = tasks(pair).filter(([name]) => !isTearDown(name) && !isDisconnect(name));
    expect(between.map(([name]) => name)).toContain('Launch pair');
    for (const [name, state] of between) {
      const caughtBy = (state.Catch ?? []).find(({ ErrorEquals }) => ErrorEquals.includes('States.ALL'));
      expect({ name, caught: caughtBy !== undefined }).toEqual({ name, caught: true });
      for (const next of successors(state)) expect(reachable(pair, next)).toContain(tearDown);
    }
  });

  test('cannot end before the teardown', () => {
    const withoutTearDown: Definition = {
      ...pair,
      States: { ...pair.States, [tearDown]: { Type: 'Pass', End: true } },
    };
    const ends = [...reachable(withoutTearDown, pair.StartAt)].filter((name) =>
      ['Succeed', 'Fail'].includes(pair.States[name]!.Type),
    );
    expect(ends).toEqual([]);
    // To prove the check, add a path around the teardown: now an end can be reached.
    withoutTearDown.States['Launch pair'] = { ...pair.States['Launch pair']!, Next: 'Pair complete' };
    expect(reachable(withoutTearDown, pair.StartAt)).toContain('Pair complete');
  });

  test('cannot end before the pair is disconnected, unless its hosts could not be removed', () => {
    const begin = `${disconnect}: begin`;
    const [end, failed] = [{ Type: 'Pass', End: true }, `${tearDown}: failed`];
    const withoutDisconnect: Definition = { ...pair, States: { ...pair.States, [begin]: end, [failed]: end } };
    const ends = [...reachable(withoutDisconnect, pair.StartAt)].filter((name) =>
      ['Succeed', 'Fail'].includes(pair.States[name]!.Type),
    );
    expect(ends).toEqual([]);
    expect(reachable(pair, pair.StartAt)).toContain(disconnect);
    // Hosts that run hold the path, and the reaper, which removes both, starts when the execution has failed.
    expect(reachable(pair, failed)).not.toContain(disconnect);
    expect(pair.States[failed]!.Assign!.failures).toContain('$append($failures');
  });

  test('connects the hosts once they are prepared, and measures once they are connected', () => {
    expect(pair.States['Connect pair: connected?']!.Choices!.map(({ Next }) => Next)).toEqual([
      'Next measurement?',
      'Pair failed',
    ]);
    const withoutConnecting: Definition = {
      ...pair,
      States: { ...pair.States, 'Connect pair: begin': { Type: 'Pass', End: true } },
    };
    expect(reachable(withoutConnecting, pair.StartAt)).not.toContain('Measure: send command');
  });

  test('probes the path before the hosts are prepared, but only where there is something to probe', async () => {
    const { Choices, Default } = pair.States['Probe path?']!;
    expect([Choices!.map(({ Next }) => Next), Default]).toEqual([
      ['Probe path: send command'],
      'Prepare hosts: send command',
    ]);
    expect(pair.States['Probe path: judge']!.Next).toBe('Prepare hosts: send command');
    const isProbed = (probe: unknown) => evaluated(Choices![0]!.Condition, { pair: { probe } });
    expect(await isProbed({ document: 'probe-path' })).toBe(true);
    expect([await isProbed(null), await isProbed(undefined)]).not.toContain(true);
  });

  test('takes a probe for ended only when it has its output, which may come after the status', async () => {
    const [, succeeded] = pair.States['Probe path: ended?']!.Choices!;
    expect(succeeded!.Next).toBe('Probe path: judge');
    const hasEnded = (CommandInvocations: object[]) => {
      const output = pair.States['Probe path: read status']!.Assign!.probeOutput;
      return evaluatedWithResult(output, { CommandInvocations }).then((probeOutput) =>
        evaluated(succeeded!.Condition, { succeededCount: 1, commandHostCount: 1, probeOutput }),
      );
    };
    expect(await hasEnded([{ Status: 'Success', CommandPlugins: [{ Output: '{"answer": null}' }] }])).toBe(true);
    expect(await hasEnded([{ Status: 'Success', CommandPlugins: [{ Output: '' }] }])).toBe(false);
    expect(await hasEnded([{ Status: 'Success', CommandPlugins: [] }])).toBe(false);
  });

  test('fails when a teardown task fails', () => {
    expect(pair.States[disconnect]!.Catch!.map(({ Next }) => Next)).toEqual([`${disconnect}: failed`]);
    expect(pair.States[`${disconnect}: failed`]!.Assign!.failures).toContain('$append($failures');
    for (const [name, state] of tasks(pair).filter(([task]) => isTearDown(task))) {
      expect({ name, next: state.Catch?.map(({ Next }) => Next) }).toEqual({ name, next: [`${tearDown}: failed`] });
    }
    expect(pair.States[`${tearDown}: failed`]!.Assign!.failures).toContain('$append($failures');
  });

  test('finds what it tears down by the tags of stack, run and pair, not by an id that it has stored', () => {
    for (const name of [`${tearDown}: find hosts`, `${tearDown}: find placement groups`]) {
      const filters = (pair.States[name]!.Arguments.Filters as { Name: string }[]).map((filter) => filter.Name);
      expect(filters).toEqual(
        expect.arrayContaining([
          'tag:network-benchmark:stack',
          'tag:network-benchmark:run-id',
          'tag:network-benchmark:pair-id',
        ]),
      );
    }
  });

  test('waits after deleting a placement group, because EC2 may still list the group', () => {
    expect(pair.States[`${tearDown}: delete placement group`]!.Next).toBe(`${tearDown}: wait`);
  });

  test('has a deadline in every loop that waits', () => {
    for (const [name, state] of Object.entries(pair.States).filter(([, { Type }]) => Type === 'Wait')) {
      const loop = [...reachable(pair, state.Next!)].filter((member) => reachable(pair, member).has(name));
      const isLoop = loop.includes(name) && name !== 'Await last chunk';
      if (!isLoop) continue;
      const first = pair.States[state.Next!]!;
      const decision = pair.States[first.Next!]!;
      const conditions = (decision.Choices ?? []).map((choice) => choice.Condition).join(' ');
      expect({ name, conditions }).toEqual({
        name,
        conditions: expect.stringMatching(/\$millis\(\) - \$\w+\) \/ 1000\) > /),
      });
    }
  });

  test.each([
    [
      'Hosts online: both?',
      { onlineCount: 1, onlineDeadlineSeconds: 2_700 },
      'launchedAt',
      'Hosts online: look at hosts',
    ],
    [
      'Tear down pair: hosts left?',
      { remainingIds: ['i-1'], idsToTerminate: [], tearDownDeadlineSeconds: 2_700 },
      'tearDownStartedAt',
      'Tear down pair: wait',
    ],
    [
      'Tear down pair: placement groups left?',
      { groupNames: ['group'], tearDownDeadlineSeconds: 2_700 },
      'tearDownStartedAt',
      'Tear down pair: delete placement group',
    ],
  ])('%s waits as long as the input of the pair says', async (name, variables, since, goesOn) => {
    const decision = pair.States[name]!;
    const after = async (elapsedSeconds: number) => {
      const all = { ...variables, [since]: Date.now() - elapsedSeconds * 1000 };
      for (const { Condition, Next, Assign } of decision.Choices!) {
        if ((await evaluated(Condition, all)) === true) {
          return [Next, Assign?.failureReason === undefined ? '' : await evaluated(Assign.failureReason, all)];
        }
      }
      return [decision.Default, ''];
    };
    expect(await after(2_600)).toEqual([goesOn, '']);
    expect(await after(2_800)).toEqual([
      name.startsWith('Hosts') ? 'Pair failed' : 'Tear down pair: failed',
      expect.stringContaining('2700 s'),
    ]);
    for (const field of ['onlineDeadlineSeconds', 'tearDownDeadlineSeconds'] as const) {
      expect(pair.States['Begin pair']!.Assign![field]).toBe(`{% $states.input.${field} %}`);
    }
  });

  test('never sends a measurement twice', () => {
    const allowed = ['Ssm.ThrottlingException', 'Ssm.SsmException', 'Ssm.InvalidInstanceIdException'];
    const sends = tasks(pair).filter(([, state]) => state.Resource!.endsWith(':ssm:sendCommand'));
    expect(sends.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Serve: send command', 'Measure: send command']),
    );
    for (const [, state] of sends)
      for (const retry of state.Retry ?? []) expect(allowed).toEqual(expect.arrayContaining(retry.ErrorEquals));
    // Every state that ends a measurement increases the index, so the same measurement is never sent again.
    for (const name of ['Analyse measurement', 'Analyse what there is', 'Measurement not analysed']) {
      expect(pair.States[name]!.Assign!.measurementIndex).toBe('{% $measurementIndex + 1 %}');
    }
  });

  test('waits for minutes while Run Command or Lambda refuses calls, and no two pairs at the same moments', () => {
    const sends = tasks(pair).filter(([, state]) => state.Resource!.endsWith(':ssm:sendCommand'));
    const invocations = tasks(pair).filter(([, state]) => state.Resource!.endsWith(':::lambda:invoke'));
    const waits = [
      ...sends.map(([name, state]) => waitOf(name, state, 'Ssm.ThrottlingException')),
      ...invocations.map(([name, state]) => waitOf(name, state, 'Lambda.TooManyRequestsException')),
    ];
    expect(waits.length).toBeGreaterThan(6);
    for (const { name, jitter, longestPauseSeconds, seconds } of waits) {
      expect({ name, jitter }).toEqual({ name, jitter: 'FULL' });
      expect(longestPauseSeconds).toBeLessThanOrEqual(30);
      expect(seconds).toBeGreaterThanOrEqual(120);
    }
  });

  test('never waits longer to send a measurement than its server waits for the client', () => {
    const { seconds } = waitOf('', pair.States['Measure: send command']!, 'Ssm.ThrottlingException');
    const script = readFileSync(join(__dirname, '../../ssm-documents/shared/server.sh'), 'utf8');
    const spareSeconds = Number(/SSM_DurationSeconds \+ (\d+)\)\)/.exec(script)![1]);
    // The agent has a minute to fetch the command, and the tool needs some seconds beside its duration.
    expect(spareSeconds).toBeGreaterThanOrEqual(seconds + 60 + 30);
  });

  test('has room in its history for every retry of its measurements', () => {
    const EVENTS_PER_RETRY = 3;
    const LONGEST_PLAN = 50;
    // `pairHistoryEvents` counts this many per measurement.
    const COUNTED_RETRIES = 20;
    const names = ['Serve: send command', 'Measure: send command', 'Analyse measurement', 'Analyse what there is'];
    const retries = names
      .flatMap((name) => pair.States[name]!.Retry!)
      .reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 0);
    const uncounted = LONGEST_PLAN * (retries - COUNTED_RETRIES) * EVENTS_PER_RETRY;
    expect(HISTORY_EVENT_BUDGET + uncounted).toBeLessThan(25_000);
  });

  test('analyses the incomplete streams when a manifest is still missing after all retries', () => {
    const analyse = pair.States['Analyse measurement']!;
    expect(analyse.Retry![0]).toMatchObject({ ErrorEquals: [ErrorName.IncompleteSeries], MaxAttempts: 6 });
    expect(analyse.Catch![0]).toMatchObject({
      ErrorEquals: [ErrorName.IncompleteSeries],
      Next: 'Analyse what there is',
    });
    expect(pair.States['Analyse what there is']!.Arguments.Payload).toMatchObject({ acceptTruncated: true });
  });

  test('shows which measurement is on', () => {
    const [begin] = pair.States['Next measurement?']!.Choices!;
    expect(begin).toHaveProperty('Output.measurementId', '{% $measurements[$measurementIndex].measurementId %}');
    for (const name of ['Serve: send command', 'Measure: send command']) {
      expect(pair.States[name]).toHaveProperty('Output.measurementId', '{% $measurement.measurementId %}');
    }
  });

  test('tells launch-pair whether somebody has redriven it', async () => {
    const { redriveCount } = pair.States['Launch pair']!.Arguments.Payload as Record<string, string>;
    const counted = (Execution: object) => evaluated(redriveCount, { states: { context: { Execution } } });
    expect(await Promise.all([counted({}), counted({ RedriveCount: 0 }), counted({ RedriveCount: 2 })])).toEqual([
      0, 0, 2,
    ]);
  });

  test('fails with the reasons as its cause', () => {
    expect(pair.States['Pair incomplete']).toMatchObject({ Type: 'Fail', Error: ErrorName.PairFailed });
    expect(pair.States['Pair incomplete']!.Cause).toContain('"reason": $substring($join($failures');
  });
});

describe('the run', () => {
  const run = definition('NetworkBenchmark');
  const map = run.States['Measure pairs']!;

  test('launches nothing before plan-run has accepted the plan', () => {
    expect(run.StartAt).toBe('Plan run');
    expect(run.States['Plan run']!.Next).toBe('Dry run?');
    expect(run.States['Dry run?']).toMatchObject({ Type: 'Choice', Default: 'Measure pairs' });
    const [taken, refused] = run.States['Plan run']!.Catch!;
    expect([...reachable(run, taken!.Next)]).toEqual(['Run refused']);
    expect([...reachable(run, refused!.Next)]).toEqual(['Summarise refusal', 'Run refused']);
  });

  test('summarises a plan-run that failed, and stays red with its reason whether or not that succeeds', async () => {
    const [, ...caught] = run.States['Plan run']!.Catch!;
    expect(caught).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], Next: 'Summarise refusal' })]);
    const summarise = run.States['Summarise refusal']!;
    expect(summarise.Next).toBe('Run refused');
    expect(summarise.Catch).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], Next: 'Run refused' })]);
    expect(run.States['Run refused']!.Type).toBe('Fail');
    expect(summarise.Arguments.Payload).toMatchObject({ pairs: [], interruptedReason: '{% $refusal %}' });

    const assigned = (name: string, states: object) => evaluated(caught[0]!.Assign![name], { states });
    const crash = {
      Error: 'Runtime.ExitError',
      Cause:
        '{"errorType":"Runtime.ExitError","errorMessage":"Runtime exited with error: signal: killed","trace":["at"]}',
    };
    expect(await assigned('refusal', { input: {}, errorOutput: crash })).toBe(
      'the plan could not be prepared: Runtime.ExitError: Runtime exited with error: signal: killed',
    );
    const invalid = { Error: ErrorName.InvalidPlan, Cause: '{"errorMessage":"plan.name: must be text, got 1"}' };
    expect(await assigned('refusal', { input: {}, errorOutput: invalid })).toBe('plan.name: must be text, got 1');
    const names = [{ name: 'a plan' }, { name: 1 }, {}, 'text', [{ name: 'one' }, { name: 'two' }]];
    expect(await Promise.all(names.map((input) => assigned('planName', { input })))).toEqual([
      'a plan',
      null,
      null,
      null,
      null,
    ]);
  });

  test('whose name is that of an earlier run does not summarise it again, and says so as plan-run did', async () => {
    const [taken] = run.States['Plan run']!.Catch!;
    expect(taken).toMatchObject({ ErrorEquals: [ErrorName.RunIdTaken], Next: 'Run refused' });
    const errorOutput = { Error: ErrorName.RunIdTaken, Cause: '{"errorMessage":"execution.name: must be new"}' };
    const states = { input: {}, errorOutput };
    expect(await evaluated(taken!.Assign!.refusal, { states })).toBe('execution.name: must be new');
    expect(await evaluated(taken!.Assign!.error, { states })).toBe(ErrorName.RunIdTaken);
  });

  test('tells the handlers that begin and end it when its execution began', () => {
    for (const name of ['Plan run', 'Summarise refusal', 'Summarise run']) {
      expect(run.States[name]!.Arguments.Payload).toMatchObject({
        startedAt: '{% $states.context.Execution.StartTime %}',
      });
    }
  });

  test('that cannot be summarised fails with a sentence', async () => {
    const { Catch: caught } = run.States['Summarise run']!;
    expect(caught).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], Next: 'Run not summarised' })]);
    expect(run.States['Run not summarised']).toMatchObject({ Type: 'Fail', Error: ErrorName.RunFailed });
    const errorOutput = { Error: 'AccessDenied', Cause: '{"errorMessage":"Access Denied","trace":["at"]}' };
    expect(await evaluated(caught![0]!.Assign!.refusal, { states: { errorOutput } })).toBe(
      'the run could not be summarised: AccessDenied: Access Denied',
    );
  });

  test('ends a dry run with the whole plan as its output, and launches nothing', async () => {
    expect(run.States['Dry run?']!.Choices).toEqual([
      expect.objectContaining({ Condition: '{% $states.input.dryRun %}', Next: 'Run planned' }),
    ]);
    expect(run.States['Run planned']!.Type).toBe('Succeed');
    const output = jsonata((run.States['Run planned']!.Output as string).slice(2, -2));
    const planned = { runId: 'run-1', dryRun: true, pairs: [], upperUsd: 3, forecast: ['a line'] };
    expect(await output.evaluate({}, { states: { input: planned } })).toEqual({
      runId: 'run-1',
      upperUsd: 3,
      forecast: ['a line'],
      outcome: 'dry_run',
    });
  });

  test('passes a run, an index, a label and the deadlines of its hosts to each pair, and gets at most 100 bytes back', async () => {
    const child = map.ItemProcessor!.States['Measure pair']!;
    // The first one makes the console link both executions; the pair itself does not read it.
    expect(Object.keys(child.Arguments.Input).sort()).toEqual([
      'AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID',
      'label',
      'onlineDeadlineSeconds',
      'pairIndex',
      'runId',
      'tearDownDeadlineSeconds',
    ]);
    expect(Object.keys(map.ItemSelector!).sort()).toEqual(Object.keys(child.Arguments.Input).sort().slice(1));
    const outcome = await evaluated(child.Output, {
      states: { input: { pairIndex: 999_999 }, result: { Output: { tearDownStartedAtMillis: 9_999_999_999_999 } } },
    });
    expect(outcome).toEqual({ pairIndex: 999_999, status: 'complete', tearDownStartedAtMillis: 9_999_999_999_999 });
    expect(JSON.stringify(outcome).length).toBeLessThanOrEqual(100);
    expect(child.Catch).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], Next: 'Pair failed' })]);
    expect(await evaluated(map.Items, { pairs: [{ pairIndex: 0 }] })).toEqual([{ pairIndex: 0 }]);
  });

  test.each(['PairBenchmark', 'NetworkBenchmark'] as const)(
    'a failure inside a handler is not repeated by %s: the SDK or the handler has done that (decision 10)',
    (machine) => {
      const invocations = Object.entries(allStates(definition(machine))).filter(([, { Resource }]) =>
        Resource?.endsWith(':::lambda:invoke'),
      );
      expect(invocations.length).toBeGreaterThan(0);
      for (const [name, { Retry = [] }] of invocations) {
        const repeated = Retry.flatMap(({ ErrorEquals }) => ErrorEquals).filter((error) => error.startsWith('States.'));
        expect({ name, repeated }).toEqual({ name, repeated: [] });
      }
    },
  );

  test('never starts a pair twice', () => {
    for (const { ErrorEquals } of map.ItemProcessor!.States['Measure pair']!.Retry!) {
      expect(ErrorEquals).not.toContain('States.ALL');
      expect(ErrorEquals).not.toContain('States.TaskFailed');
    }
  });

  test('fails unless everything was measured', () => {
    const decision = run.States['Complete?']!;
    expect(run.States[decision.Default!]).toMatchObject({ Type: 'Fail', Error: ErrorName.RunFailed });
    expect(decision.Choices!.map(({ Next }) => run.States[Next]!.Type)).toEqual(['Fail', 'Succeed', 'Fail']);
    expect(run.States[decision.Choices![0]!.Next]).toMatchObject({ Error: ErrorName.ExpectationsNotMet });
  });
});

test('a state that invokes a handler has the name of the handler', () => {
  const invoked: Record<string, string> = {};
  for (const machine of MACHINES) {
    for (const [name, state] of tasks(definition(machine))) {
      if (state.Resource?.endsWith(':lambda:invoke')) invoked[name] = flatten(state.Arguments.FunctionName);
    }
  }
  const idOf = (name: string) => name.replace(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(Object.keys(invoked).sort()).toEqual(
    [
      'Analyse measurement',
      'Analyse what there is',
      'Connect pair',
      'Disconnect pair',
      'Launch pair',
      'Look after five minutes',
      'Look after one minute',
      'Plan run',
      'Probe path: judge',
      'Summarise refusal',
      'Summarise run',
    ].sort(),
  );
  for (const [name, handler] of Object.entries(invoked)) {
    const others: Record<string, string> = {
      'Analyse what there is': 'AnalyseMeasurement',
      'Look after five minutes': 'ReapRun',
      'Look after one minute': 'ReapRun',
      'Probe path: judge': 'ConnectPair',
      'Summarise refusal': 'SummariseRun',
    };
    const expected = others[name] ?? idOf(name);
    expect(handler).toContain(`Functions${expected}`);
  }
});
