/** The walk through the checks: prices, limit, what is not asked, what is not proven, table. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planKey } from '../../domain/workflow/object-keys';
import type { CheckContext } from './check';
import { CHECKS } from './checks/index';
import { priceOfRun, runsOf, totalOf } from './price';
import { prove } from './prove';
import { walk } from './walk';
import { awsError } from '../support/fake-ec2';
import { type FakeAccount, STACK } from '../support/proving';
import { output, options, dependencies, proof, verdicts, goodService, THREE } from '../support/proving-walk';

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

test('--list prints the prices and asks nothing of the account', async () => {
  const fake = goodService();
  fake.overrides.describeStack = () => Promise.reject(new Error('asked'));
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE, { isList: true }), deps)).toBe(0);
  expect(lines.join('\n')).toContain('USD at most');
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

test('an account whose credentials end before the removal launches nothing', async () => {
  const fake = goodService();
  const expiresAt = new Date(Date.UTC(2026, 10, 28, 9, 20));
  fake.overrides.credentials = async () => ({ isTemporary: true, isRenewed: false, expiresAt });
  const { deps, lines } = dependencies(fake);
  expect(await prove(options(THREE), deps)).toBe(2);
  expect(lines.join('\n')).toMatch(/This account lacks\n\n- these credentials end in 20 minutes; .* need \d+ minutes/);
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
