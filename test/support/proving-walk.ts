/** A walk of `npm run prove` through a service in memory, with what it writes at its end. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pairHostsKey, planKey, summaryKey } from '../../domain/workflow/object-keys';
import { CHECKS } from '../on-aws/checks/index';
import type { Options } from '../on-aws/options';
import type { Proof } from '../on-aws/table';
import { FakeAccount, STACK } from './proving';

export const SUMMARY = {
  schema: 'network-benchmark.summary.v1',
  outcome: 'complete',
  measurements: [],
  interruptedReason: null,
};
export const output = mkdtempSync(join(tmpdir(), 'proof-'));
afterAll(() => {
  rmSync(output, { recursive: true });
});

export function options(ids: readonly string[], given: Partial<Options> = {}): Options {
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

export function dependencies(fake: FakeAccount, controller = new AbortController()) {
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

export function proof(): Proof {
  return JSON.parse(readFileSync(join(output, 'proof.json'), 'utf8')) as Proof;
}

export const verdicts = () => Object.fromEntries(proof().checks.map(({ id, verdict }) => [id, verdict]));

/** A service that does what it should: a run launches two hosts, measures, and is whole when it ends. */
export function goodService(): FakeAccount {
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

export const THREE = ['documents', 'run-completes', 'stop-leaves-nothing'];
