/** Validates, prices, expands and stores a plan. Every problem is reported at once; nothing is launched here. */
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { PlannedRun } from '../../domain/model/planned-run';
import { preparePlan } from '../../domain/plan/prepare-plan';
import { readPlan } from '../../domain/plan/read-plan';
import { isLaunched } from '../../domain/model/planned-run';
import type { PlanRunRequest, PlanRunResponse } from '../../domain/workflow/contracts';
import { InvalidPlanError } from '../../domain/workflow/error-names';
import { forecastKey, planKey } from '../../domain/workflow/object-keys';
import type { Log } from '../shared/logger';
import { encodeJson, JSON_TYPE } from '../shared/stored-json';
import { gatherFacts, type FactSources } from './gather-facts';
import { resolveImages } from './ubuntu-images';

export interface PlanRunDependencies extends FactSources {
  readonly bucketName: string;
  readonly getParameter: (name: string) => Promise<string>;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

/** A state carries 256 KiB; a forecast that is longer is cut, and whole where `forecastUri` says. */
const SHOWN_FORECAST_CHARACTERS = 150_000;

export function makePlanRun(deps: PlanRunDependencies) {
  return async ({ runId, plan: submitted }: PlanRunRequest): Promise<PlanRunResponse> => {
    const createdAt = deps.now().toISOString();
    const day = createdAt.slice(0, 10);
    const read = readPlan(submitted);
    const { facts, problems, warnings } = await gatherFacts(deps, read, day);
    const decision = preparePlan(read, { ...facts, runId });
    const allProblems = [...decision.problems, ...problems];
    if (decision.prepared === undefined || allProblems.length > 0) {
      deps.log('plan refused', { runId, problemCount: allProblems.length });
      throw new InvalidPlanError(allProblems);
    }

    const { plan, seed, instanceTypes, pairs, forecast, forecastText } = decision.prepared;
    const architectures = new Set(Object.values(instanceTypes).map((type: InstanceTypeFacts) => type.architecture));
    const run: PlannedRun = {
      schema: 'network-benchmark.plan.v1',
      runId,
      createdAt,
      day,
      plan,
      seed,
      expectedUsd: forecast.expectedUsd,
      upperUsd: forecast.upperUsd,
      images: await resolveImages(architectures, deps.getParameter),
      instanceTypes,
      pairs,
    };
    await deps.putObject(forecastKey(runId), encodeJson({ ...forecast, warnings }), JSON_TYPE);
    await deps.putObject(planKey(runId), encodeJson(run), JSON_TYPE);
    const { expectedUsd, upperUsd } = forecast;
    deps.log('plan expanded', { runId, pairCount: pairs.length, images: run.images, expectedUsd, upperUsd, warnings });
    return {
      runId,
      pairIndexes: pairs.filter(isLaunched).map((pair) => pair.pairIndex),
      concurrency: plan.concurrency,
      dryRun: plan.dryRun,
      planUri: `s3://${deps.bucketName}/${planKey(runId)}`,
      forecastUri: `s3://${deps.bucketName}/${forecastKey(runId)}`,
      expectedUsd,
      upperUsd,
      ...(plan.dryRun ? { forecast: shownLines([forecastText, ...warnings].join('\n')) } : {}),
    };
  };
}

/** What a long forecast comes to, its price and its warnings, stands below its table: the table is what is cut first. */
function shownLines(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (text.length <= SHOWN_FORECAST_CHARACTERS) return lines;
  const tableEnd = lines.indexOf('');
  const below = fitting(lines.slice(tableEnd), SHOWN_FORECAST_CHARACTERS / 2);
  const left = SHOWN_FORECAST_CHARACTERS - below.join('\n').length;
  const table = fitting(lines.slice(0, tableEnd), left);
  return [...table, `and ${tableEnd - table.length} more lines, whole in forecastUri`, ...below];
}

function fitting(lines: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const cut = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return cut === -1 ? lines : lines.slice(0, cut);
}
