/** The order in which a reader of a plan meets its problems; the checks find them by kind. */
import type { PlanProblem } from '../workflow/error-names';
import { benchmarkPlan } from './schema';

const FIELDS = Object.keys(benchmarkPlan.shape);
const byPath = new Intl.Collator('en', { numeric: true });

/** Sorted by the fields of the plan in the order of its schema, and by entry within a list; what is unknown comes last. */
export function inPlanOrder(problems: readonly PlanProblem[]): PlanProblem[] {
  const rank = ({ path }: PlanProblem) => {
    const field = FIELDS.indexOf(/^plan\.(\w+)/.exec(path)?.[1] ?? '');
    return field === -1 ? FIELDS.length : field;
  };
  return problems.toSorted((one, other) => rank(one) - rank(other) || byPath.compare(one.path, other.path));
}
