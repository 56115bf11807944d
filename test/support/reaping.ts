/** reap-run over everything in memory: a run of two pairs with a latency and a throughput measurement each. */
import type { MeasurementResult } from '../../domain/model/result';
import { resultFromJson, resultToJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import { measurementSummary, type RunSummary } from '../../domain/run/summary';
import {
  measurementResultKey,
  measurementResultPrefix,
  pairHostsKey,
  planKey,
  reportKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import { makeReapRun, type ReapRunDependencies } from '../../lambdas/reap-run/reap-run';
import { FakeEc2 } from './fake-ec2';
import { FakeExecutions } from './fake-executions';
import { FakeLoadBalancers } from './fake-load-balancers';
import { FakeStore } from './fake-store';
import { plannedRun, RUN_ID } from './planned-run';

export const PAIR_MACHINE = 'arn:pair';
export const RUN_MACHINE = 'arn:run';

export const tagsOf = (runId: string, pairId: string, stack = 'TheStack'): Tags => ({
  'network-benchmark:stack': stack,
  'network-benchmark:run-id': runId,
  'network-benchmark:pair-id': pairId,
});

const RESULT_SCHEMA: MeasurementResult['schema'] = 'network-benchmark.measurement.v1';
const SUMMARY_SCHEMA: RunSummary['schema'] = 'network-benchmark.summary.v1';

interface Invocation {
  readonly functionName: string;
  readonly payload: Record<string, unknown>;
}

export function reaping(refused: Partial<ReapRunDependencies> = {}) {
  const ec2 = new FakeEc2();
  const elb = new FakeLoadBalancers();
  /** What AWS does while the reaper waits. */
  const clock = { sleep: (): void => undefined, count: 0 };
  const executions = new FakeExecutions();
  const store = new FakeStore();
  const invocations: Invocation[] = [];
  /** What the hosts have uploaded. */
  const uploaded = { sampleCount: 17 };
  const cancelled: string[] = [];
  const commands = new Map<string, string[]>();
  const pair = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
  const planned = plannedRun({ pairs: [pair, pair] });
  store.putJson(planKey(RUN_ID), planned);
  /** What summarise-run writes, the report last. */
  const putSummary = (interruptedReason: unknown) => {
    const results = store.keys(measurementResultPrefix(RUN_ID)).map((key) => store.json<MeasurementResultJson>(key));
    const measurements = results.map((result) => resultToJson(measurementSummary(resultFromJson(result))));
    store.putJson(summaryKey(RUN_ID), {
      schema: SUMMARY_SCHEMA,
      interruptedReason,
      pairs: planned.pairs,
      measurements,
    });
    store.putJson(reportKey(RUN_ID), {});
  };
  const reap = makeReapRun({
    stackName: 'TheStack',
    pairStateMachineArn: PAIR_MACHINE,
    runStateMachineArn: RUN_MACHINE,
    analyseFunctionName: 'analyse',
    summariseFunctionName: 'summarise',
    ...ec2,
    ...elb,
    listUnfinishedCommands: async (instanceId) => commands.get(instanceId) ?? [],
    cancelCommand: async (commandId, instanceId) => {
      cancelled.push(`${commandId} ${instanceId}`);
      commands.delete(instanceId);
    },
    ...executions,
    invokeFunction: async (functionName, payload) => {
      const request = payload as Record<string, unknown>;
      invocations.push({ functionName, payload: request });
      if (functionName === 'summarise') {
        putSummary(request.interruptedReason);
        return { runId: RUN_ID, outcome: 'incomplete' };
      }
      const measurementId = `p000${Number(request.pairIndex) + 1}-m0${Number(request.measurementIndex) + 1}`;
      const response = { measurementId, status: 'truncated', reason: request.failureReason, verdictKind: null };
      store.putJson(measurementResultKey(RUN_ID, measurementId), { schema: RESULT_SCHEMA, ...response, ...uploaded });
      return response;
    },
    store: store.adapter,
    sleep: async () => {
      clock.count += 1;
      clock.sleep();
    },
    log: () => undefined,
    ...refused,
  });
  const eventOf = (stateMachineArn: string, name: string) => ({ detail: { stateMachineArn, name } });
  const putResult = (measurementId: string, result: Partial<MeasurementResult>) =>
    store.putJson(measurementResultKey(RUN_ID, measurementId), { schema: RESULT_SCHEMA, measurementId, ...result });
  const launchPair = async (pairId: string) => {
    store.putJson(pairHostsKey(RUN_ID, pairId), {});
    ec2.addHost(`i-client-${pairId}`, tagsOf(RUN_ID, pairId));
    ec2.addHost(`i-server-${pairId}`, tagsOf(RUN_ID, pairId));
    await ec2.createPlacementGroup(`group-${pairId}`, 'cluster', tagsOf(RUN_ID, pairId));
  };
  return {
    ...{ reap, ec2, elb, clock, executions, store, invocations, uploaded, cancelled, commands },
    ...{ eventOf, putResult, putSummary, launchPair },
  };
}

/** Stopped while its pairs ran; beside it are hosts of another run and of another stack. */
export async function stoppedRun(refused: Partial<ReapRunDependencies> = {}) {
  const all = reaping(refused);
  all.executions.add(RUN_MACHINE, RUN_ID, 'ABORTED', { cause: 'changed my mind' });
  all.executions.add(PAIR_MACHINE, 'run-1-p0001', 'RUNNING');
  all.executions.add(PAIR_MACHINE, 'run-1-p0002', 'RUNNING');
  all.executions.add(PAIR_MACHINE, 'run-11-p0001', 'RUNNING');
  await all.launchPair('p0001');
  await all.launchPair('p0002');
  all.ec2.addHost('i-other-run', tagsOf('run-11', 'p0001'));
  all.ec2.addHost('i-other-stack', tagsOf(RUN_ID, 'p0001', 'AnotherStack'));
  return all;
}
