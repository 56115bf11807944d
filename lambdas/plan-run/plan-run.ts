/**
 * Validates, prices, expands and stores a plan, and reports all of its problems at once. It launches nothing. A run id
 * that an earlier execution has used is refused before the plan is read.
 */
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import {
  isLaunched,
  PREVIOUS_RUN,
  type PlannedPair,
  type PlannedRun,
  type PreviousRun,
} from '../../domain/model/planned-run';
import { scaledModelInWords, scaledModelOf } from '../../domain/model/scaled-model';
import type { LaunchedPair, PlanRunRequest, PlanRunResponse } from '../../domain/workflow/contracts';
import { inPlanOrder } from '../../domain/plan/check-plan';
import { InvalidPlanError } from '../../domain/workflow/error-names';
import { mergedTags, type UserTags } from '../../domain/workflow/user-tags';
import type { ResultFinder } from '../result-store/reader';
import type { RunClaims } from '../result-store/run-execution';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/runtime';
import { decidePlan, type FactSources } from './decide-plan';
import { previousRunQuery } from '../../domain/run/earlier-runs';
import { LOOK_BACK_DAYS } from '../../domain/tables/query-text';
import { errorMessage } from '../errors/aws-errors';

export interface PlanRunDependencies extends FactSources {
  readonly store: Pick<
    ResultFinder & ResultWriter & RunClaims,
    'claimRun' | 'hasPlan' | 'writeForecast' | 'writePlan' | 'uris'
  >;
  readonly getParameter: (name: string) => Promise<string>;
  readonly deploymentTags: UserTags;
  readonly now: () => Date;
  readonly log: Log;
}

/** A state's output is limited to 256 KiB, so a longer forecast is cut there and is complete only at `forecastUri`. */
const SHOWN_FORECAST_CHARACTERS = 150_000;

export function makePlanRun(deps: PlanRunDependencies) {
  return async ({ runId, plan: submitted, startedAt }: PlanRunRequest): Promise<PlanRunResponse> => {
    if (startedAt !== undefined) await deps.store.claimRun(runId, startedAt);
    const createdAt = deps.now().toISOString();
    const day = createdAt.slice(0, 10);
    const { problems, prepared, warnings } = await decidePlan(deps, deps.deploymentTags, {
      runId,
      plan: submitted,
      day,
    });
    if (prepared === undefined || problems.length > 0) {
      deps.log('plan refused', { runId, problemCount: problems.length });
      throw new InvalidPlanError(inPlanOrder(problems));
    }

    const { plan, region, seed, instanceTypes, pairs, forecast, forecastText } = prepared;
    const previousRun =
      plan.compareTo === PREVIOUS_RUN ? await findPreviousRun(deps, { runId, createdAt, day, plan }) : undefined;
    const scaledModel = scaledModelOf(deps.deploymentTags);
    const run: PlannedRun = {
      schema: 'network-benchmark.plan.v1',
      runId,
      createdAt,
      day,
      region,
      plan,
      previousRun,
      seed,
      expectedUsd: forecast.expectedUsd,
      upperUsd: forecast.upperUsd,
      images: await resolveImages(Object.values(instanceTypes), deps.getParameter),
      instanceTypes,
      tags: mergedTags(deps.deploymentTags, plan.tags),
      scaledModel,
      pairs,
    };
    await deps.store.writeForecast(runId, { ...forecast, warnings });
    await deps.store.writePlan(run);
    const uris = deps.store.uris(runId);
    const { expectedUsd, upperUsd } = forecast;
    const { images } = run;
    deps.log('plan expanded', { runId, pairCount: pairs.length, images, expectedUsd, upperUsd, previousRun, warnings });
    return {
      runId,
      pairs: plan.dryRun ? [] : pairs.filter(isLaunched).map(launchedPair),
      concurrency: plan.concurrency,
      dryRun: plan.dryRun,
      planUri: uris.plan,
      forecastUri: uris.forecast,
      expectedUsd,
      upperUsd,
      forecast: plan.dryRun
        ? shownLines(
            [forecastText, ...modelLines(scaledModel), ...comparisonLines(previousRun), ...warnings].join('\n'),
          )
        : undefined,
    };
  };
}

function launchedPair({ pairIndex, pairId, clientType, serverType, hostDeadlines }: PlannedPair): LaunchedPair {
  return { pairIndex, label: `${pairId} ${clientType} to ${serverType}`, ...hostDeadlines };
}

/** Names the scaled model that the forecast's figures are for; empty if the run measures EC2 itself. */
export const modelLines = (model: PlannedRun['scaledModel']) =>
  model === undefined ? [] : [`${scaledModelInWords(model)}.`, ''];

/** The lines below the forecast that name the run with which this one will be compared. */
export function comparisonLines(previousRun: PreviousRun | undefined): string[] {
  if (previousRun === undefined) return [];
  return [
    `compared with ${previousRun.runId === null ? `no run: ${previousRun.reason}` : `run ${previousRun.runId}`}`,
    '',
  ];
}

/** The total, the price and the warnings follow the table of the forecast, so the table is cut first. */
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

type Architecture = InstanceTypeFacts['architecture'];

/** Debian's names of the architectures, which Canonical's public parameters use. */
const DEBIAN_ARCHITECTURE: Readonly<Record<Architecture, string>> = { x86_64: 'amd64', arm64: 'arm64' };

/** Resolves the image of each architecture in use once for the whole run, so that all pairs boot the same system. */
async function resolveImages(
  instanceTypes: readonly InstanceTypeFacts[],
  getParameter: (name: string) => Promise<string>,
): Promise<PlannedRun['images']> {
  const images: Partial<Record<Architecture, string>> = {};
  for (const architecture of new Set(instanceTypes.map((type) => type.architecture))) {
    const release = '/aws/service/canonical/ubuntu/server/24.04/stable/current';
    images[architecture] = await getParameter(`${release}/${DEBIAN_ARCHITECTURE[architecture]}/hvm/ebs-gp3/ami-id`);
  }
  return images;
}

/** If the query for the previous run takes longer, the run continues without the comparison. */
const COMPARISON_DEADLINE_SECONDS = 30;

/** Finds the run that `"compareTo": "previous"` means now. The plan stores the answer, so that it never changes. */
async function findPreviousRun(
  { runQuery }: Pick<FactSources, 'runQuery'>,
  run: Pick<PlannedRun, 'runId' | 'createdAt' | 'day' | 'plan'>,
): Promise<PreviousRun> {
  const { name } = run.plan;
  try {
    const [row] = await runQuery(previousRunQuery(run), COMPARISON_DEADLINE_SECONDS);
    if (row?.run_id !== undefined) return { runId: row.run_id, reason: null };
    return { runId: null, reason: `no earlier complete run of plan ${name} in ${LOOK_BACK_DAYS} days` };
  } catch (error) {
    return { runId: null, reason: `earlier runs of plan ${name} could not be queried: ${errorMessage(error)}` };
  }
}
