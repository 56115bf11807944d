/** Removes what launch-pair and connect-pair created for a pair except its hosts; repeated until all is gone. */
import type { DisconnectPairResponse, PairRequest } from '../../domain/workflow/contracts';
import { pairId as pairIdAt } from '../../domain/workflow/identifiers';
import { Failures } from '../shared/failures';
import { findDataPath, removeDataPath, type DataPathRemovalDependencies } from '../shared/pair-removal';
import type { Log } from '../shared/runtime';
import { pairScope } from '../shared/pair-identity';

export interface DisconnectPairDependencies extends DataPathRemovalDependencies {
  readonly stackName: string;
  readonly log: Log;
}

export function makeDisconnectPair(deps: DisconnectPairDependencies) {
  return async ({ runId, pairIndex }: PairRequest): Promise<DisconnectPairResponse> => {
    // Resources are found by tag and not by a record, because a launch that failed half-way leaves no record.
    const pairId = pairIdAt(pairIndex);
    const failures = new Failures();
    const path = await findDataPath(deps, pairScope({ stackName: deps.stackName, runId, pairId }), failures);
    const stillThere = await removeDataPath(path, failures);
    // A removal that AWS refused may succeed in the next call. At the deadline the pair fails with these reasons.
    const remaining = [...stillThere, ...failures.reasons];
    if (path.length > 0)
      deps.log('pair disconnected', { runId, pairId, found: path.map(({ name }) => name), remaining });
    return { remaining };
  };
}
