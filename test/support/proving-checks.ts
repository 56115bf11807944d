/** One check of `npm run prove` against a service in memory. */
import { pairHostsKey, planKey, summaryKey } from '../../domain/workflow/object-keys';
import type { Account } from '../on-aws/account';
import { Interrupted, type CheckContext, type Finding } from '../on-aws/check';
import { CHECKS } from '../on-aws/checks/index';
import { Runs } from '../on-aws/runs';
import { FakeAccount, STACK } from './proving';

export const PLAN = {
  schema: 'network-benchmark.plan.v1',
  createdAt: '2026-11-28T09:00:00.000Z',
  pairs: [{ candidateSubnets: [{ client: { subnetId: 'subnet-0123456789abcdef0' } }] }],
};
export const CLIENT = 'i-0c';
const SERVER = 'i-05';
export const MEASUREMENT = {
  measurementId: 'p0001-m01',
  tool: 'iperf3',
  status: 'complete',
  reason: null,
  verdict: { kind: 'drop', cause: 'network_credits', witnesses: [{ name: 'ena_allowance_counters', agrees: true }] },
};
export const SUMMARY = {
  schema: 'network-benchmark.summary.v1',
  outcome: 'complete',
  measurements: [MEASUREMENT],
  interruptedReason: null,
};

/** What a run leaves besides its summary. */
export interface Left {
  readonly error?: string;
  readonly cause?: string;
  /** By the key of the object. */
  readonly objects?: (runId: string) => Readonly<Record<string, unknown>>;
}

/** A service whose runs are measuring (or, where a check waits for their end, complete), with these further answers. */
export function service(
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED',
  answers: Partial<Account>,
  summary: object = SUMMARY,
  { objects = () => ({}), ...ending }: Left = {},
) {
  const fake = new FakeAccount();
  fake.onStart = (runId) => {
    fake.executions.add(STACK.runStateMachineArn, runId, status, ending);
    fake.store.putJson(planKey(runId), PLAN);
    if (runId.endsWith('-dry')) return;
    fake.store.putJson(pairHostsKey(runId, 'p0001'), {
      runId,
      client: { instanceId: CLIENT },
      server: { instanceId: SERVER },
    });
    fake.store.putJson(`live_samples/day=2026-11-28/run_id=${runId}/p0001-m01.client.000001.ndjson.gz`, {});
    if (status !== 'RUNNING') fake.store.putJson(summaryKey(runId), summary);
    for (const [key, value] of Object.entries(objects(runId))) {
      if (typeof value === 'string') fake.store.objects.set(key, Buffer.from(value));
      else fake.store.putJson(key, value);
    }
  };
  fake.overrides = answers;
  return fake;
}

export async function look(id: string, fake: FakeAccount): Promise<Finding> {
  const check = CHECKS.find((each) => each.id === id)!;
  const { account } = fake;
  const clock = { seconds: Date.UTC(2026, 10, 28, 9) / 1000 };
  const wait = async (seconds: number) => {
    clock.seconds += seconds;
    if (clock.seconds > Date.UTC(2026, 10, 28, 10) / 1000) throw new Interrupted('an hour has passed');
  };
  const now = () => new Date(clock.seconds * 1000);
  const runs = new Runs({ account, stack: STACK, idPrefix: 'proof', maxCostUsd: 9, wait, now, say: () => undefined });
  const context: CheckContext = { account, stack: STACK, runs, wait };
  return check.look(context);
}
