/** The rows of `runs` and `pairs`, from the documents of a run that has ended. */
import { zip } from '../maths/elements';
import type { RunCost } from '../model/cost';
import { LIMITS } from '../model/expectation';
import type { PlannedRun } from '../model/planned-run';
import type { ExpectationFacts, PairFacts, RunFacts } from '../tables/columns';
import { statusCounts, type JudgedExpectation } from './expectations';
import type { RunSummary, RunSummaryJson } from './summary';

export interface EndedRun {
  readonly run: PlannedRun;
  readonly cost: RunCost;
  readonly summary: RunSummary | RunSummaryJson;
}

export function runFacts({ run, cost, summary }: EndedRun): RunFacts {
  const { outcome, endedAt, interruptedReason, pairs, measurements, expectations, startedBy } = summary;
  return {
    runId: run.runId,
    planName: run.plan.name,
    region: run.region,
    createdAt: run.createdAt,
    endedAt,
    outcome,
    pairCount: pairs.length,
    failedPairCount: pairs.filter((pair) => pair.status === 'failed').length,
    repetitions: run.plan.repetitions,
    concurrency: run.plan.concurrency,
    measurementStatuses: measurements.map(({ status }) => status),
    interruptedReason,
    reportUri: summary.report,
    expectedUsd: run.expectedUsd,
    upperUsd: run.upperUsd,
    costUsd: cost.costUsd,
    priceList: cost.priceList,
    expectationsOutcome: expectations?.outcome,
    expectationCounts: expectations && statusCounts(expectations),
    expectations: expectations?.judged.map(expectationFacts),
    tags: run.tags,
    answer: summary.answer,
    startedBy,
  };
}

/** The value that was compared with the limit is the figure's, or that of its change. */
function expectationFacts(judged: JudgedExpectation): ExpectationFacts {
  const { path, cell, planPairIndex, planMeasurementIndex, figure, limit, limitValue, status, note } = judged;
  const compared = LIMITS[limit].isRelative ? judged.changePercent : judged.now;
  return {
    path,
    cell: cell ?? undefined,
    plan_pair_index: planPairIndex ?? undefined,
    plan_measurement_index: planMeasurementIndex ?? undefined,
    figure,
    limit_kind: limit,
    limit_value: limitValue,
    observed: compared?.value ?? undefined,
    low: compared?.interval?.low,
    high: compared?.interval?.high,
    status,
    note: note ?? undefined,
  };
}

export function pairFacts({ run, cost, summary }: EndedRun): PairFacts[] {
  const { runId, plan, region } = run;
  return zip(zip(run.pairs, summary.pairs), cost.pairs).map(([[pair, { status, reason }], pairCost]) => {
    return { runId, planName: plan.name, region, pair, status, reason, cost: pairCost };
  });
}
