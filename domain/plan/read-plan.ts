/**
 * Validates a submitted plan against its schema. Valid parts are passed on even if others are not, so that later checks
 * can report their problems together with these.
 */
import type { z } from 'zod';
import { measurementPlan, type MeasurementPlan } from '../tools/catalogue';
import { formatPlanPath } from '../text/plan-path';
import type { PlanProblem } from '../workflow/error-names';
import { allowedAt, allowedKeysAt, valueAt } from './allowed-values';
import { benchmarkPlan, pairPlan, type BenchmarkPlan, type PairPlan } from './schema';

/** The valid parts of a plan, each at its own index. */
export interface ReadPlan {
  /** Only when the whole plan is valid against the schema. */
  readonly plan?: BenchmarkPlan;
  readonly pairs: readonly (PairPlan | undefined)[];
  readonly measurements: readonly (MeasurementPlan | undefined)[];
  readonly compareTo?: string;
  readonly problems: readonly PlanProblem[];
}

export function readPlan(submitted: unknown): ReadPlan {
  const read = benchmarkPlan.safeParse(submitted);
  if (read.success) {
    const { pairs, measurements, compareTo } = read.data;
    return { plan: read.data, pairs, measurements, compareTo, problems: [] };
  }
  return {
    pairs: entriesOf(submitted, 'pairs').map((pair) => pairPlan.safeParse(pair).data),
    measurements: entriesOf(submitted, 'measurements').map((entry) => measurementPlan.safeParse(entry).data),
    compareTo: benchmarkPlan.shape.compareTo.safeParse(valueAt(submitted, ['compareTo'])).data,
    problems: read.error.issues.flatMap((issue) => problemsOf(submitted, issue)),
  };
}

function problemsOf(submitted: unknown, issue: z.core.$ZodIssue): PlanProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const allowedKeys = allowedKeysAt(submitted, issue.path).join(', ');
    return issue.keys.map((key) => ({
      path: formatPlanPath([...issue.path, key]),
      value: valueAt(submitted, [...issue.path, key]),
      allowed: `absent, the keys allowed here are ${allowedKeys}`,
    }));
  }
  const allowed = allowedAt(submitted, issue.path);
  const within = issue.code === 'invalid_key' ? `, in ${allowedAt(submitted, issue.path.slice(0, -1))}` : '';
  return [{ path: formatPlanPath(issue.path), value: valueAt(submitted, issue.path), allowed: `${allowed}${within}` }];
}

function entriesOf(submitted: unknown, key: 'pairs' | 'measurements'): readonly unknown[] {
  const entries = valueAt(submitted, [key]);
  // The schema rejects longer lists anyway; checking the first thousand entries is enough.
  return Array.isArray(entries) ? (entries as unknown[]).slice(0, 1000) : [];
}
