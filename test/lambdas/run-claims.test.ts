/** Two calls of one execution may claim its run at the same moment: both have it, whichever request comes first. */
import { setImmediate } from 'node:timers/promises';
import { executionKey, planKey } from '../../domain/workflow/object-keys';
import { runClaims } from '../../lambdas/result-store/run-execution';
import { FakeStore } from '../support/fake-store';

const STARTED_AT = '2026-11-28T01:00:00.000Z';
/** No call makes more requests. */
const MOST_REQUESTS = 6;

/** @param turns whose request is next: the first call's where the bit is set */
async function claimInTurns(turns: number): Promise<FakeStore> {
  const store = new FakeStore();
  const waiting: (() => void)[][] = [[], []];
  const calls = waiting.map((requests) => {
    const inTurn =
      <A extends unknown[], R>(request: (...given: A) => Promise<R>) =>
      (...given: A) =>
        new Promise<R>((resolve, reject) => requests.push(() => void request(...given).then(resolve, reject)));
    const bucket = {
      getObject: inTurn(store.getObject),
      listObjects: inTurn(store.listObjects),
      putObjectOnce: inTurn(store.putObjectOnce),
      putObject: inTurn(store.putObject),
    };
    // As plan-run does, whose next document is the plan.
    const claim = async () => {
      await runClaims(bucket).claimRun('run-1', STARTED_AT);
      await bucket.putObject(planKey('run-1'), new Uint8Array(), 'application/json');
    };
    return claim();
  });
  for (let turn = 0; turn < 2 * MOST_REQUESTS; turn++) {
    await setImmediate();
    const first = (turns >> turn) & 1;
    const next = waiting[first]!.length > 0 ? waiting[first]! : waiting[1 - first]!;
    next.shift()?.();
  }
  await Promise.all(calls);
  return store;
}

test('in every order of their requests', async () => {
  for (let turns = 0; turns < 2 ** (2 * MOST_REQUESTS); turns++) {
    const store = await claimInTurns(turns);
    expect(store.json(executionKey('run-1'))).toMatchObject({ runId: 'run-1', startedAt: STARTED_AT });
  }
});
