/** The walk through the checks: limit, interruption, refusals, removal, table. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  liveSamplesKey,
  measurementResultKey,
  measurementRowsKey,
  pairHostsKey,
  planKey,
  reportKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { Account } from './account';
import type { CheckContext } from './check';
import type { Options } from './options';
import { CHECKS } from './checks/index';
import { priceOfRun, runsOf, totalOf } from './price';
import { prove } from './prove';
import { isKeyOfRun } from './removal';
import type { Proof } from './table';
import { walk } from './walk';
import { awsError } from '../support/fake-ec2';
import { FakeAccount, STACK } from '../support/proving';

const SUMMARY = {
  schema: 'network-benchmark.summary.v1',
  outcome: 'complete',
  measurements: [],
  interruptedReason: null,
};
const output = mkdtempSync(join(tmpdir(), 'proof-'));
afterAll(() => {
  rmSync(output, { recursive: true });
});

function options(ids: readonly string[], given: Partial<Options> = {}): Options {
  return {
    stack: STACK.name,
    checks: CHECKS.filter(({ id }) => ids.includes(id)),
    output,
    isList: false,
    isAgreed: true,
    isHelp: false,
    ...given,
  };
}

function dependencies(fake: FakeAccount, controller = new AbortController()) {
  const lines: string[] = [];
  const clock = { seconds: Date.UTC(2026, 10, 28, 9) / 1000 };
  const deps = {
    account: fake.account,
    ask: async () => true,
    print: (line: string) => lines.push(line),
    now: () => new Date(clock.seconds * 1000),
    sleep: async (seconds: number) => {
      clock.seconds += seconds;
    },
    signal: controller.signal,
  };
  return { deps, lines };
}

function proof(): Proof {
  return JSON.parse(readFileSync(join(output, 'proof.json'), 'utf8')) as Proof;
}

const verdicts = () => Object.fromEntries(proof().checks.map(({ id, verdict }) => [id, verdict]));

/** A service that does what it should: a run launches two hosts, measures, and is whole when it ends. */
function goodService(): FakeAccount {
  const fake = new FakeAccount();
  fake.onStart = (runId) => {
    const tags = { 'network-benchmark:stack': STACK.name, 'network-benchmark:run-id': runId };
    fake.store.putJson(planKey(runId), {});
    if (runId.endsWith('-smoke')) {
      fake.executions.add(STACK.runStateMachineArn, runId, 'SUCCEEDED');
      fake.store.putJson(summaryKey(runId), SUMMARY);
      return;
    }
    fake.store.putJson(pairHostsKey(runId, 'p0001'), { client: {}, server: {} });
    fake.store.putJson(`live_samples/day=2026-11-28/run_id=${runId}/p0001-m01.client.000001.ndjson.gz`, {});
    fake.ec2.placementGroups.set(runId, { strategy: 'cluster', tags });
  };
  fake.overrides.stopExecution = async (machine, runId, error, cause) => {
    await fake.executions.stopExecution(machine, runId, error, cause);
    fake.ec2.placementGroups.delete(runId);
    fake.store.putJson(summaryKey(runId), { ...SUMMARY, outcome: 'failed', interruptedReason: 'stopped' });
  };
  return fake;
}

const THREE = ['documents', 'run-completes', 'stop-leaves-nothing'];

test('a service that does what it should is proven, and nothing is left', async () => {
  const fake = goodService();
  fake.store.putJson(planKey('somebody-elses'), {});
  expect(await prove(options(THREE), dependencies(fake).deps)).toBe(0);
  expect(verdicts()).toEqual({ documents: 'proven', 'run-completes': 'proven', 'stop-leaves-nothing': 'proven' });
  expect(proof().left).toEqual([]);
  expect(fake.store.keys()).toEqual([planKey('somebody-elses')]);
  expect(readFileSync(join(output, 'proof.md'), 'utf8')).toContain('3 proven, 0 not proven, 0 not answered');
});

test('the price is printed before anything is asked, and a no asks nothing', async () => {
  const fake = goodService();
  const { deps, lines } = dependencies(fake);
  const ask = async (question: string) => {
    expect(lines.join('\n')).toContain('USD at most');
    expect(question).toContain(STACK.runStateMachineArn);
    return false;
  };
  expect(await prove(options(THREE, { isAgreed: false }), { ...deps, ask })).toBe(2);
  expect(fake.inputs.size).toBe(0);
});

test('a check that would exceed the limit is not made, and the exit code says that something is unproven', async () => {
  const fake = goodService();
  const maxCostUsd = priceOfRun('smoke').upperUsd + 0.01;
  expect(await prove(options(THREE, { maxCostUsd }), dependencies(fake).deps)).toBe(1);
  expect(verdicts()).toEqual({ documents: 'proven', 'run-completes': 'proven', 'stop-leaves-nothing': 'unanswered' });
  expect(proof().checks[2]!.evidence).toMatch(/^the cost limit of 0\.\d\d USD: .* this check can cost 0\.\d\d USD$/);
  expect([...fake.inputs.keys()].map((name) => name.split('-').at(-1))).toEqual(['smoke']);
  // The service itself is told the limit, and refuses a run whose own forecast exceeds it.
  expect([...fake.inputs.values()]).toEqual([expect.objectContaining({ maxCostUsd })]);
});

test('a run that several checks look at is paid for once', async () => {
  const fake = goodService();
  fake.overrides.namedQueries = async () => [];
  fake.overrides.runAthenaQuery = async () => [{ stored: '0' }];
  const maxCostUsd = priceOfRun('smoke').upperUsd + 0.01;
  await prove(options(['run-completes', 'queries-run'], { maxCostUsd }), dependencies(fake).deps);
  expect(verdicts()).toEqual({ 'run-completes': 'proven', 'queries-run': 'not_proven' });
});

test('what checks can cost adds up', async () => {
  const fake = goodService();
  // Each of the two runs is below the limit, and both together are above it.
  const maxCostUsd = Math.max(priceOfRun('smoke').upperUsd, priceOfRun('stopped').upperUsd) + 0.01;
  await prove(options(THREE, { maxCostUsd }), dependencies(fake).deps);
  expect(verdicts()).toMatchObject({ 'run-completes': 'proven', 'stop-leaves-nothing': 'unanswered' });
});

test('a check that is named as unanswerable is not made, costs nothing and is no failure', async () => {
  const fake = goodService();
  const elsewhere = { place: 'a room', unanswerable: new Map([['run-completes', 'there are no hosts here']]) };
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE.slice(0, 2), { elsewhere }), deps)).toBe(0);
  expect(proof().checks[1]).toMatchObject({ verdict: 'unanswered', evidence: 'there are no hosts here' });
  expect(proof().upperUsd).toBe(0);
  expect(proof().place).toBe('a room');
  expect(lines).toContain('1 proven, 0 not proven, 1 not answered');
  const table = readFileSync(join(output, 'proof.md'), 'utf8');
  expect(table).toMatch(/^# What is proven of .* in a room\n\n\*\*This is no proof about AWS\*\*/);
});

test('the table names the account', async () => {
  await prove(options(THREE.slice(0, 1)), dependencies(goodService()).deps);
  const table = readFileSync(join(output, 'proof.md'), 'utf8');
  expect(table).toContain(`in account ${STACK.account}, ${STACK.region}\n`);
  expect(table).not.toContain('no proof about AWS');
});

test('an interruption ends the check, makes no further one, and removes what was made', async () => {
  const fake = goodService();
  const controller = new AbortController();
  const { deps } = dependencies(fake, controller);
  const start = fake.onStart;
  fake.onStart = (runId) => {
    start(runId);
    fake.executions.add(STACK.runStateMachineArn, runId, 'RUNNING');
    const tags = { 'network-benchmark:stack': STACK.name, 'network-benchmark:run-id': runId };
    fake.ec2.placementGroups.set(runId, { strategy: 'cluster', tags });
    controller.abort();
  };
  fake.overrides = {};
  expect(await prove(options(THREE), { ...deps, account: fake.account })).toBe(130);
  expect(verdicts()).toEqual({
    documents: 'proven',
    'run-completes': 'unanswered',
    'stop-leaves-nothing': 'unanswered',
  });
  expect(fake.executions.stopped).toHaveLength(1);
  expect(fake.ec2.placementGroups.size).toBe(0);
  expect(fake.store.keys()).toEqual([]);
});

test('what can not be removed is named, and is a failure', async () => {
  const fake = goodService();
  fake.ec2.isGroupEmpty = () => false;
  fake.overrides.stopExecution = fake.executions.stopExecution;
  expect(await prove(options(['stop-leaves-nothing']), dependencies(fake).deps)).toBe(1);
  expect(verdicts()).toEqual({ 'stop-leaves-nothing': 'not_proven' });
  expect(proof().checks[0]!.evidence).toMatch(/^\d+ s after the stop: placement group .*-stopped, no summary$/);
  expect(proof().left).toEqual([expect.stringMatching(/^placement group proof-/)]);
});

const aHost = (state: 'running' | 'shutting-down') => ({ instanceId: 'i-1', state, tags: {} });
test.each<[string, Partial<Account>, RegExp]>([
  ['a host', { findHosts: async () => [aHost('running')] }, /: host i-1 \(running\), a summary$/],
  ['a host that never goes', { findHosts: async () => [aHost('shutting-down')] }, /: host i-1 \(shutting-down\), a/],
  [
    'a load balancer',
    { findLoadBalancers: async () => [{ arn: 'lb', name: 'lb-1', tags: {} }] },
    /: load balancer lb-1, a summary$/,
  ],
  ['what AWS does not list', { findPlacementGroups: () => Promise.reject(awsError('InternalError')) }, /InternalError/],
])('a stopped run that leaves %s is not proven', async (_, answers, evidence) => {
  const fake = goodService();
  Object.assign(fake.overrides, { terminateHosts: async () => undefined, deleteLoadBalancer: async () => undefined });
  Object.assign(fake.overrides, answers);
  expect(await prove(options(['stop-leaves-nothing']), dependencies(fake).deps)).toBe(1);
  expect(proof().checks).toEqual([
    expect.objectContaining({ verdict: 'not_proven', evidence: expect.stringMatching(evidence) as unknown }),
  ]);
});

test('a stopped run without a summary is not proven', async () => {
  const fake = goodService();
  fake.overrides.stopExecution = async (machine, runId, error, cause) => {
    await fake.executions.stopExecution(machine, runId, error, cause);
    fake.ec2.placementGroups.delete(runId);
  };
  expect(await prove(options(['stop-leaves-nothing']), dependencies(fake).deps)).toBe(1);
  expect(proof().checks[0]!.evidence).toMatch(/^\d+ s after the stop: nothing left, no summary$/);
});

test.each([
  ['stop-leaves-nothing', 'must be measuring, was SUCCEEDED'],
  ['stop-during-launch-leaves-nothing', 'must launch, was SUCCEEDED'],
])('%s is not proven by a run that ended before it could be stopped', async (id, evidence) => {
  const fake = goodService();
  fake.onStart = (runId) => {
    fake.executions.add(STACK.runStateMachineArn, runId, 'SUCCEEDED');
    fake.store.putJson(summaryKey(runId), SUMMARY);
  };
  expect(await prove(options([id]), dependencies(fake).deps)).toBe(1);
  expect(proof().checks).toEqual([
    expect.objectContaining({ verdict: 'not_proven', evidence: expect.stringContaining(evidence) as unknown }),
  ]);
});

test('a run whose start was answered by an error is removed all the same', async () => {
  const fake = goodService();
  const start = fake.account.startExecution;
  fake.overrides.startExecution = async (machine, runId, input) => {
    await start(machine, runId, input);
    throw awsError('TimeoutError');
  };
  expect(await prove(options(['stop-leaves-nothing']), dependencies(fake).deps)).toBe(1);
  expect(verdicts()).toEqual({ 'stop-leaves-nothing': 'not_proven' });
  expect(fake.executions.stopped).toHaveLength(1);
  expect(fake.ec2.placementGroups.size).toBe(0);
  expect(fake.store.keys()).toEqual([]);
});

test('the executions of its pairs are stopped, and nobody else’s', async () => {
  const fake = goodService();
  const start = fake.onStart;
  const others = 'somebody-elses-p0001';
  fake.onStart = (runId) => {
    start(runId);
    for (const name of [`${runId}-p0001`, others]) fake.executions.add(STACK.pairStateMachineArn, name, 'RUNNING');
  };
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(0);
  expect(await fake.executions.listRunningExecutions(STACK.pairStateMachineArn)).toEqual([others]);
});

test('what AWS refuses to remove or to list is named', async () => {
  const fake = goodService();
  fake.overrides.deleteObjects = () => Promise.reject(awsError('SlowDown'));
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(1);
  expect(verdicts()).toEqual({ 'run-completes': 'proven' });
  expect(proof().left).toEqual([expect.stringMatching(/^objects of proof-.*SlowDown/)]);
});

test('objects that stay are named', async () => {
  const fake = goodService();
  fake.overrides.deleteObjects = async () => undefined;
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(1);
  expect([...proof().left].sort()).toEqual([
    expect.stringMatching(/^s3:\/\/results\/reports\/proof-.*\/plan\.json$/),
    expect.stringMatching(/^s3:\/\/results\/reports\/proof-.*\/summary\.json$/),
  ]);
});

test('--list prints the prices and asks nothing of the account', async () => {
  const fake = goodService();
  fake.overrides.describeStack = () => Promise.reject(new Error('asked'));
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE, { isList: true }), deps)).toBe(0);
  expect(lines.join('\n')).toContain('USD at most');
});

test('the removal waits for the hosts of a launch that was under way when the run was stopped', async () => {
  const fake = goodService();
  const controller = new AbortController();
  const { deps } = dependencies(fake, controller);
  fake.onStart = (runId) => {
    const tags = { 'network-benchmark:stack': STACK.name, 'network-benchmark:run-id': runId };
    fake.store.putJson(`reports/${runId}/pairs/p0001-launch.json`, {});
    const sleep = deps.sleep;
    let sleeps = 0;
    deps.sleep = async (seconds) => {
      await sleep(seconds);
      if (++sleeps === 10) fake.ec2.placementGroups.set('late', { strategy: 'cluster', tags });
    };
    controller.abort();
  };
  expect(await prove(options(['run-completes']), deps)).toBe(130);
  expect(fake.ec2.placementGroups.size).toBe(0);
  expect(proof().left).toEqual([]);
});

test('an interruption while a run is planned: it is stopped once it has stored its plan', async () => {
  const fake = goodService();
  const controller = new AbortController();
  const stopped: boolean[] = [];
  fake.overrides.stopExecution = async (machine, runId, error, cause) => {
    stopped.push(fake.store.keys().includes(planKey(runId)));
    await fake.executions.stopExecution(machine, runId, error, cause);
  };
  const { deps } = dependencies(fake, controller);
  fake.onStart = (runId) => {
    let sleeps = 0;
    deps.sleep = async () => {
      if (++sleeps !== 3) return;
      fake.store.putJson(planKey(runId), {});
      fake.executions.succeededTasks.add(`${STACK.runStateMachineArn}:${runId}`);
    };
    controller.abort();
  };
  expect(await prove(options(['run-completes']), deps)).toBe(130);
  expect(stopped).toEqual([true]);
  expect(fake.store.keys()).toEqual([]);
});

test('the removal waits for the report, and removes what an analysis writes afterwards', async () => {
  const fake = goodService();
  const late = (runId: string) => [reportKey(runId), measurementResultKey(runId, 'p0001-m01')];
  const written: string[] = [];
  fake.overrides.deleteObjects = async (_, keys) => {
    expect(written.length).toBeGreaterThan(0);
    for (const key of keys) fake.store.objects.delete(key);
  };
  const { deps } = dependencies(fake);
  const start = fake.onStart;
  fake.onStart = (runId) => {
    start(runId);
    const { sleep } = deps;
    deps.sleep = async (seconds) => {
      await sleep(seconds);
      const key =
        fake.store.keys().includes(summaryKey(runId)) || written.length > 0 ? late(runId)[written.length] : undefined;
      if (key === undefined) return;
      fake.store.putJson(key, {});
      written.push(key);
    };
  };
  expect(await prove(options(['stop-leaves-nothing']), deps)).toBe(0);
  expect(written).toHaveLength(2);
  expect(fake.store.keys()).toEqual([]);
});

test('a dry run gets no limit, because its plan may be one that would cost more', async () => {
  const fake = goodService();
  fake.onStart = (runId) => fake.executions.add(STACK.runStateMachineArn, runId, 'SUCCEEDED');
  fake.overrides.executionOutput = async () => '{"forecast": ["3.19 USD"]}';
  expect(await prove(options(['plan-is-checked'], { maxCostUsd: 1 }), dependencies(fake).deps)).toBe(0);
  expect([...fake.inputs.values()]).toEqual([
    expect.not.objectContaining({ maxCostUsd: expect.anything() as unknown }),
  ]);
});

test.each([
  { verdict: 'proven', exitCode: 0, what: 'nothing is launched late' },
  { verdict: 'not_proven', exitCode: 1, what: 'what is launched late stays' },
])('a stop during the launch is $verdict when $what', async ({ verdict, exitCode }) => {
  const fake = goodService();
  const { deps } = dependencies(fake);
  const start = fake.onStart;
  fake.onStart = (runId) => {
    start(runId);
    fake.executions.add(STACK.pairStateMachineArn, `${runId}-p0001`, 'RUNNING');
    const tags = { 'network-benchmark:stack': STACK.name, 'network-benchmark:run-id': runId };
    const { sleep } = deps;
    let sleeps = 0;
    deps.sleep = async (seconds) => {
      await sleep(seconds);
      if (verdict === 'not_proven' && ++sleeps === 4) {
        fake.ec2.placementGroups.set('late', { strategy: 'cluster', tags });
      }
    };
  };
  expect(await prove(options(['stop-during-launch-leaves-nothing'], { maxCostUsd: 5 }), deps)).toBe(exitCode);
  expect(verdicts()).toEqual({ 'stop-during-launch-leaves-nothing': verdict });
  expect(proof().left).toEqual([]);
  expect(fake.ec2.placementGroups.size).toBe(0);
});

test.each([
  [
    'a stack that failed',
    (fake: FakeAccount) => (fake.stackStatus = 'ROLLBACK_COMPLETE'),
    'stack is ROLLBACK_COMPLETE',
  ],
  [
    'a stack that lacks a document',
    (fake: FakeAccount) => fake.documents.delete(`${STACK.name}-measure-iperf3`),
    'document TheStack-measure-iperf3 is no resource of the stack',
  ],
  [
    'a document that failed',
    (fake: FakeAccount) => fake.documents.set(`${STACK.name}-measure-iperf3`, 'Failed'),
    'document TheStack-measure-iperf3: Failed',
  ],
])('%s is not proven', async (_, plant, evidence) => {
  const fake = goodService();
  plant(fake);
  expect(await prove(options(['documents']), dependencies(fake).deps)).toBe(1);
  expect(proof().checks).toEqual([expect.objectContaining({ verdict: 'not_proven', evidence })]);
});

test.each(['FAILED', 'TIMED_OUT', 'ABORTED'] as const)('a run that ended as %s is not proven', async (status) => {
  const fake = goodService();
  fake.onStart = (runId) => fake.executions.add(STACK.runStateMachineArn, runId, status, { error: 'E', cause: 'why' });
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(1);
  expect(proof().checks[0]).toMatchObject({ verdict: 'not_proven', evidence: `${status}, E: why; no summary` });
});

test('a call that the credentials may not make is unanswered, and an error of AWS is not proven', async () => {
  for (const [error, verdict] of [
    ['AccessDeniedException', 'unanswered'],
    ['InternalServerError', 'not_proven'],
  ] as const) {
    const fake = goodService();
    fake.overrides.documentStatus = () => Promise.reject(awsError(error));
    expect(await prove(options(['documents']), dependencies(fake).deps)).toBe(1);
    expect(verdicts()).toEqual({ documents: verdict });
  }
});

test('a key is of a run whose name it has as a whole', () => {
  const stream = { measurementId: 'p0001-m02', hostRole: 'server' } as const;
  for (const runId of ['run', 'run-2']) {
    expect(isKeyOfRun(liveSamplesKey('2026-11-20', { ...stream, runId }, 0), 'run')).toBe(runId === 'run');
    expect(isKeyOfRun(measurementRowsKey('2026-11-20', runId), 'run')).toBe(runId === 'run');
  }
});

test('an account whose credentials end before the removal launches nothing', async () => {
  const fake = goodService();
  const expiresAt = new Date(Date.UTC(2026, 10, 28, 9, 20));
  fake.overrides.credentials = async () => ({ isTemporary: true, isRenewed: false, expiresAt });
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE), deps)).toBe(2);
  expect(lines.join('\n')).toMatch(/This account lacks\n\n- these credentials end in 20 minutes, .* need \d+\n/);
  expect(fake.inputs.size).toBe(0);
});

test('what the account can not launch is not asked, and everything else is; both are said', async () => {
  const fake = goodService();
  fake.overrides.findFreePlanTypes = async () => ['t3.micro'];
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE), deps)).toBe(1);
  expect(verdicts()).toEqual({ documents: 'proven', 'run-completes': 'proven', 'stop-leaves-nothing': 'unanswered' });
  expect(proof().lacks).toEqual([expect.stringMatching(/^the run stopped can't be launched: .* not c5.large$/)]);
  expect(lines.join('\n')).toMatch(
    /Not asked\n\n- stop-leaves-nothing: the account lacks what the run stopped needs: /,
  );
  expect(readFileSync(join(output, 'proof.md'), 'utf8')).toMatch(
    /## What the account lacked\n\n.*## What was not asked\n\n.*## What README says and this does not show\n\n- /s,
  );
});

test.each(CHECKS.map((_, index) => index))('the price of the checks from %i on is within itself', async (first) => {
  const started = new Set<string>();
  const context = { runs: { hasStarted: (run: string) => started.has(run) } } as unknown as CheckContext;
  const checks = CHECKS.slice(first).map((check) => ({
    ...check,
    look: async () => {
      for (const run of runsOf([check])) started.add(run);
      return { proven: true, call: '', evidence: '' };
    },
  }));
  const rows = await walk({
    checks,
    context,
    unanswerable: new Map(),
    unlaunchable: new Map(),
    upperUsdOfRun: (name) => priceOfRun(name).upperUsd,
    maxCostUsd: totalOf(checks, priceOfRun).upperUsd,
    isInterrupted: () => false,
    now: () => 0,
    report: () => undefined,
  });
  expect(rows.filter(({ verdict }) => verdict !== 'proven')).toEqual([]);
});
