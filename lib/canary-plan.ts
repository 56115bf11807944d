/**
 * Reads and checks the plan that a schedule starts. This happens at synthesis, because nobody would notice a plan that
 * is rejected later, when the schedule starts it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'constructs';
import { checkPlan } from '../domain/plan/check-plan';
import { readPlan } from '../domain/plan/read-plan';
import { formatPlanProblem } from '../domain/workflow/error-names';

export interface CanaryPlan {
  /** `rate(1 day)` or `cron(…)`, in UTC. */
  readonly schedule: string;
  readonly planName: string;
  /** Input of the execution. */
  readonly planJson: string;
}

const DEFAULT_PLAN = join(__dirname, '../examples/plans/canary.json');
const SCHEDULE = /^(rate\([1-9][0-9]* (minutes?|hours?|days?)\)|cron\([^()]+\))$/;

/** @returns undefined if the context has no schedule */
export function readCanaryPlan(node: Node): CanaryPlan | undefined {
  const schedule: unknown = node.tryGetContext('canarySchedule');
  if (schedule === undefined) return undefined;
  if (typeof schedule !== 'string' || !SCHEDULE.test(schedule)) {
    throw new Error(
      `context canarySchedule: must be a rate, like rate(1 day), or a cron expression, got ${JSON.stringify(schedule)}`,
    );
  }
  const path: unknown = node.tryGetContext('canaryPlan') ?? DEFAULT_PLAN;
  if (typeof path !== 'string') {
    throw new Error(`context canaryPlan: must be the path of a plan, got ${JSON.stringify(path)}`);
  }
  const submitted = readJson(path);
  const read = readPlan(submitted);
  const problems = [...read.problems, ...checkPlan(read)];
  if (read.plan === undefined || problems.length > 0) {
    throw new Error(
      `context canaryPlan: must be a plan that can be run, got ${path}:\n${problems.map(formatPlanProblem).join('\n')}`,
    );
  }
  return { schedule, planName: read.plan.name, planJson: JSON.stringify(submitted) };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (error) {
    throw new Error(`context canaryPlan: must be the path of a JSON file, got ${path}: ${String(error)}`, {
      cause: error,
    });
  }
}
