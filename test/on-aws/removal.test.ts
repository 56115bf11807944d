/** Whatever ends a walk, what it made is removed; and the checks of stopped runs see what the service leaves. */
import { measurementResultKey, planKey, reportKey, summaryKey } from '../../domain/workflow/object-keys';
import type { Account } from './account';
import { prove } from './prove';
import { awsError } from '../support/fake-ec2';
import { STACK } from '../support/proving';
import { SUMMARY, options, dependencies, proof, verdicts, goodService, THREE } from '../support/proving-walk';

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
  fake.overrides.deletableBucket = () => ({ deleteObjects: () => Promise.reject(awsError('SlowDown')) });
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(1);
  expect(verdicts()).toEqual({ 'run-completes': 'proven' });
  expect(proof().left).toEqual([expect.stringMatching(/^objects of proof-.*SlowDown/)]);
});

test('objects that stay are named', async () => {
  const fake = goodService();
  fake.overrides.deletableBucket = () => ({ deleteObjects: async () => undefined });
  expect(await prove(options(['run-completes']), dependencies(fake).deps)).toBe(1);
  expect([...proof().left].sort()).toEqual([
    expect.stringMatching(/^s3:\/\/results\/reports\/proof-.*\/plan\.json$/),
    expect.stringMatching(/^s3:\/\/results\/reports\/proof-.*\/summary\.json$/),
  ]);
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
  const deleteObjects = async (keys: readonly string[]) => {
    expect(written.length).toBeGreaterThan(0);
    await fake.store.deleteObjects(keys);
  };
  fake.overrides.deletableBucket = () => ({ deleteObjects });
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
  ['is renewed, and names them no more', '', []],
  ['still names one of them', 'NAMED', [expect.stringMatching(/^proof-.*-smoke in index\.html$/) as unknown]],
])('the page over all runs %s', async (_, page, left) => {
  const fake = goodService();
  fake.overrides.listStackResources = async () => [
    { logicalId: 'FunctionsPublishRunHandler01', type: 'AWS::Lambda::Function', physicalId: 'publish' },
  ];
  const start = fake.onStart;
  fake.onStart = (runId) => {
    start(runId);
    fake.store.objects.set('index.html', Buffer.from(`<a href="${reportKey(runId)}">`));
    fake.overrides.invokeFunction = async (name) => {
      expect([name, fake.store.keys()]).toEqual(['publish', ['index.html']]);
      fake.store.objects.set('index.html', Buffer.from(page && reportKey(runId)));
      return null;
    };
  };
  const account = fake.account;
  account.invokeFunction = (name, payload) => fake.overrides.invokeFunction!(name, payload);
  expect(await prove(options(['run-completes']), { ...dependencies(fake).deps, account })).toBe(left.length);
  expect(proof().left).toEqual(left);
});

test.each([
  [
    'says so',
    'proven',
    'FAILED',
    'RunIncomplete',
    { status: 'truncated', sampleCount: 12, reason: 'the host is gone' },
  ],
  ['is complete', 'not_proven', 'SUCCEEDED', undefined, { status: 'complete', sampleCount: 12, reason: null }],
  [
    'fails otherwise',
    'not_proven',
    'FAILED',
    'States.Runtime',
    { status: 'truncated', sampleCount: 12, reason: 'why' },
  ],
  ['lost its seconds', 'not_proven', 'FAILED', 'RunFailed', { status: 'failed', sampleCount: 0, reason: 'why' }],
  ['gives no reason', 'not_proven', 'FAILED', 'RunIncomplete', { status: 'truncated', sampleCount: 12, reason: null }],
  ['has no result', 'not_proven', 'FAILED', 'RunFailed', undefined],
] as const)('a run that lost a host and %s is %s', async (_, verdict, status, error, measurement) => {
  const fake = goodService();
  fake.overrides.terminateHosts = async () => {
    const runId = [...fake.inputs.keys()][0]!;
    fake.executions.add(STACK.runStateMachineArn, runId, status, { error });
    fake.store.putJson(summaryKey(runId), { ...SUMMARY, measurements: [measurement ?? []].flat() });
  };
  await prove(options(['lost-host-fails-the-run']), dependencies(fake).deps);
  expect(verdicts()).toEqual({ 'lost-host-fails-the-run': verdict });
});

test.each([
  ['is gone at the fourth look', 'proven', 4, 'gone after 15 s'],
  ['stays', 'not_proven', Infinity, 'still there after 1200 s'],
])('what has expired and %s is %s, and is removed', async (_, verdict, sweptAtLook, evidence) => {
  const fake = goodService();
  let looks = 0;
  fake.overrides.findPlacementGroups = async (tags) => {
    if (++looks === sweptAtLook) fake.ec2.placementGroups.clear();
    return fake.ec2.findPlacementGroups(tags);
  };
  await prove(options(['sweeper-removes-what-has-expired']), dependencies(fake).deps);
  expect(proof().checks).toEqual([expect.objectContaining({ verdict, evidence })]);
  expect(fake.ec2.placementGroups.size).toBe(0);
  expect(proof().left).toEqual([]);
});
