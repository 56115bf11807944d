/** Whether the tags of a plan find room on a resource, beside those of the deployment and the service's own. */
import type { PlanProblem } from '../workflow/error-names';
import { MAX_USER_TAGS, mergedTags, type UserTags } from '../workflow/user-tags';

export function checkTags(plan: UserTags | undefined, deployment: UserTags): PlanProblem[] {
  if (plan === undefined) return [];
  const count = Object.keys(mergedTags(deployment, plan)).length;
  if (count <= MAX_USER_TAGS) return [];
  const deployed = Object.keys(deployment).length;
  const beside = deployed === 0 ? '' : ` with the ${deployed} of the deployment`;
  const allowed = `fewer, because there may be ${MAX_USER_TAGS}${beside} (there are ${count}; EC2 allows 50, and the rest are the service's own)`;
  return [{ path: 'plan.tags', value: `${Object.keys(plan).length} tags`, allowed }];
}
