/** Judges a submitted plan by the facts of an account, whoever has them: EC2 itself, or a file (`bin/check-plan.ts`). */
import { preparePlan } from '../../domain/plan/prepare-plan';
import { readPlan } from '../../domain/plan/read-plan';
import type { UserTags } from '../../domain/workflow/user-tags';
import { gatherFacts, type FactSources } from './gather-facts';

export interface SubmittedPlan {
  readonly runId: string;
  readonly plan: unknown;
  /** UTC day of the run, YYYY-MM-DD. */
  readonly day: string;
}

/** @returns all problems of the plan at once; what was prepared counts only where there are none */
export async function decidePlan(sources: FactSources, deploymentTags: UserTags, { runId, plan, day }: SubmittedPlan) {
  const read = readPlan(plan);
  const { facts, problems, warnings } = await gatherFacts(sources, read, day);
  const decision = preparePlan(read, { ...facts, runId, deploymentTags });
  return { problems: [...decision.problems, ...problems], prepared: decision.prepared, warnings };
}
