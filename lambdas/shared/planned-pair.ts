/** One pair of a stored plan, and the hosts that it got. */
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { PairHosts, PairRequest } from '../../domain/workflow/contracts';
import { pairHostsKey, planKey } from '../../domain/workflow/object-keys';
import { decodeJson } from './stored-json';

type GetObject = (key: string) => Promise<Uint8Array>;

export async function readPlannedPair(
  getObject: GetObject,
  { runId, pairIndex }: PairRequest,
): Promise<{ run: PlannedRun; pair: PlannedPair }> {
  const run = decodeJson<PlannedRun>(planKey(runId), await getObject(planKey(runId)));
  const pair = run.pairs[pairIndex];
  if (pair === undefined) throw new Error(`pairIndex: must be 0 to ${run.pairs.length - 1}, got ${pairIndex}`);
  return { run, pair };
}

export async function readPairHosts(getObject: GetObject, runId: string, pairId: string): Promise<PairHosts> {
  const key = pairHostsKey(runId, pairId);
  return decodeJson<PairHosts>(key, await getObject(key));
}
