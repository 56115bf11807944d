/**
 * Validates a submitted plan against its schema. Valid parts are passed on even if others are not, so that later checks
 * can report their problems together with these.
 */
import type { z } from 'zod';
import { measurementPlan, type MeasurementPlan } from '../tools/catalogue';
import { formatPlanPath } from '../text/plan-path';
import type { PlanProblem } from '../workflow/error-names';
import { allowedAt, allowedKeysAt, keyRefusal, valueAt } from './allowed-values';
import type { Expectation } from '../model/expectation';
import { expectation } from './expectation-schema';
import { benchmarkPlan, pairPlan, type BenchmarkPlan, type PairPlan } from './schema';

/** The valid parts of a plan; the entries of its lists each at its own index. */
export interface ReadPlan {
  /** Only when the whole plan is valid against the schema. */
  readonly plan?: BenchmarkPlan;
  /** The fields that are valid as a whole, with the defaults of those that the plan leaves out. */
  readonly fields: Partial<BenchmarkPlan>;
  /** Which fields the plan has, valid or not. */
  readonly writtenFields: ReadonlySet<keyof BenchmarkPlan>;
  readonly pairs: readonly (PairPlan | undefined)[];
  readonly measurements: readonly (MeasurementPlan | undefined)[];
  readonly expectations: readonly (Expectation | undefined)[];
  readonly problems: readonly PlanProblem[];
}

const FIELDS = Object.keys(benchmarkPlan.shape) as (keyof BenchmarkPlan)[];

export function readPlan(submitted: unknown): ReadPlan {
  const read = benchmarkPlan.safeParse(submitted);
  const writtenFields = new Set(FIELDS.filter((field) => valueAt(submitted, [field]) !== undefined));
  if (read.success) {
    const { pairs, measurements, expect = [] } = read.data;
    const { data: plan } = read;
    return { plan, fields: plan, writtenFields, pairs, measurements, expectations: expect, problems: [] };
  }
  return {
    fields: validFields(submitted),
    writtenFields,
    pairs: entriesOf(submitted, 'pairs').map((pair) => pairPlan.safeParse(pair).data),
    measurements: entriesOf(submitted, 'measurements').map((entry) => measurementPlan.safeParse(entry).data),
    expectations: entriesOf(submitted, 'expect').map((entry) => expectation.safeParse(entry).data),
    problems: read.error.issues.flatMap((issue) => problemsOf(submitted, issue)),
  };
}

function validFields(submitted: unknown): Partial<BenchmarkPlan> {
  const fields = FIELDS.flatMap((field) => {
    const { data } = benchmarkPlan.shape[field].safeParse(valueAt(submitted, [field]));
    return data === undefined ? [] : [[field, data] as const];
  });
  return Object.fromEntries(fields);
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
  const within = issue.code === 'invalid_key' ? `, ${keyRefusal(submitted, issue.path.slice(0, -1))}` : '';
  return [{ path: formatPlanPath(issue.path), value: valueAt(submitted, issue.path), allowed: `${allowed}${within}` }];
}

function entriesOf(submitted: unknown, key: 'pairs' | 'measurements' | 'expect'): readonly unknown[] {
  const entries = valueAt(submitted, [key]);
  // The schema rejects longer lists anyway; checking the first thousand entries is enough.
  return Array.isArray(entries) ? (entries as unknown[]).slice(0, 1000) : [];
}
