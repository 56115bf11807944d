/** The run that `"compareTo": "previous"` means. It is looked up once and stored in the plan, so that it stays the same. */
import type { PlannedRun, PreviousRun } from '../../domain/model/planned-run';
import { previousRunQuery } from '../../domain/run/earlier-runs';
import { LOOK_BACK_DAYS } from '../../domain/tables/query-text';
import { errorMessage } from '../shared/error-text';
import type { FactSources } from './gather-facts';

/** After this time the run goes on without the comparison, rather than keep the user waiting. */
const DEADLINE_SECONDS = 30;

export async function findPreviousRun(
  { runQuery }: Pick<FactSources, 'runQuery'>,
  run: Pick<PlannedRun, 'runId' | 'createdAt' | 'day' | 'plan'>,
): Promise<PreviousRun> {
  const { name } = run.plan;
  try {
    const [row] = await runQuery(previousRunQuery(run), DEADLINE_SECONDS);
    if (row?.run_id !== undefined) return { runId: row.run_id, reason: null };
    return { runId: null, reason: `no earlier complete run of plan ${name} in ${LOOK_BACK_DAYS} days` };
  } catch (error) {
    return { runId: null, reason: `earlier runs of plan ${name} could not be queried: ${errorMessage(error)}` };
  }
}
