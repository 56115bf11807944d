/**
 * Whether a run can meet what its plan expects at all: an expectation of something that the plan doesn't measure is
 * refused before anything is launched.
 */
import { largest } from '../maths/extremes';
import {
  EXPECTABLE_FIGURE_NAMES,
  expectedLimits,
  figureNamesOf,
  isOfSubject,
  LIMITS,
  type ExpectableFigureName,
  type Expectation,
  type MeasuredFigureName,
} from '../model/expectation';
import { neededObservations, PERCENTILE_FIELDS, percentileName } from '../model/percentiles';
import type { PlannedPair } from '../model/planned-run';
import type { MeasurementSettings } from '../model/settings';
import { formatPlanPath } from '../text/plan-path';
import { toolModule } from '../tools/catalogue';
import { measuredFigures } from '../tools/measured-figures';
import type { PlanProblem } from '../workflow/error-names';
import type { BenchmarkPlan } from './schema';

export function checkExpectations(plan: BenchmarkPlan): PlanProblem[] {
  const { expect, failOn, compareTo } = plan;
  if (expect === undefined) {
    const allowed = 'absent without plan.expect, which has the expectations';
    return failOn === undefined ? [] : [{ path: 'plan.failOn', value: failOn, allowed }];
  }
  const withoutOther = expectedLimits(expect).flatMap(({ path, limit, value }) =>
    LIMITS[limit].isRelative && compareTo === undefined
      ? [{ path, value, allowed: 'absent without plan.compareTo, which names the run to compare with' }]
      : [],
  );
  const problems = expect.flatMap((expectation, index) => [
    ...subjectProblems(plan, expectation, index),
    ...figureProblems(plan, expectation, index),
  ]);
  return [...problems, ...withoutOther];
}

function subjectProblems(plan: BenchmarkPlan, { type, pair, measurement }: Expectation, index: number): PlanProblem[] {
  const problem = (key: string, value: unknown, allowed: string) => [
    { path: formatPlanPath(['expect', index, key]), value, allowed },
  ];
  const upTo = (entries: readonly unknown[], word: string) =>
    `the index of one of the plan's ${word}, 0 to ${entries.length - 1}`;
  const types = [...new Set(plan.pairs.flatMap(({ clientType, serverType }) => [clientType, serverType]))].sort();
  const chosen = pair === undefined ? undefined : plan.pairs[pair];
  return [
    ...(type !== undefined && !types.includes(type)
      ? problem('type', type, `an instance type of the plan's pairs: ${types.join(', ')}`)
      : []),
    ...(pair !== undefined && chosen === undefined ? problem('pair', pair, upTo(plan.pairs, 'pairs')) : []),
    ...(chosen !== undefined && type !== undefined && ![chosen.clientType, chosen.serverType].includes(type)
      ? problem('pair', pair, `a pair with a host of type ${type} (its types are ${typesOf(chosen)})`)
      : []),
    ...(measurement !== undefined && plan.measurements[measurement] === undefined
      ? problem('measurement', measurement, upTo(plan.measurements, 'measurements'))
      : []),
  ];
}

const typesOf = ({ clientType, serverType }: BenchmarkPlan['pairs'][number]) =>
  [...new Set([clientType, serverType])].join(' and ');

function figureProblems(plan: BenchmarkPlan, expectation: Expectation, index: number): PlanProblem[] {
  const measured = settingsOf(plan, expectation);
  const available = [...new Set(measured.flatMap(measuredFigures))];
  const named = EXPECTABLE_FIGURE_NAMES.filter((figure) => expectation[figure] !== undefined);
  if (named.length === 0) {
    const allowed = `an object with a figure and its limits: ${[...available, ...figureNamesOf('run')].join(', ')}`;
    return [{ path: formatPlanPath(['expect', index]), value: expectation, allowed }];
  }
  return named.flatMap((figure) => {
    const path = formatPlanPath(['expect', index, figure]);
    const limits = expectation[figure] ?? {};
    const { min, max } = limits;
    const refuse = (allowed: string) => [{ path, value: limits, allowed }];
    if (Object.keys(limits).length === 0) {
      return refuse(`an object with at least one of ${Object.keys(LIMITS).join(', ')}`);
    }
    if (min !== undefined && max !== undefined && min > max) return refuse('limits with min at most max');
    if (figureNamesOf('run').includes(figure)) return runFigureProblem(expectation, figure, path);
    // A subject that the plan doesn't have is a problem of its own.
    if (measured.length === 0) return [];
    if (!available.includes(figure as MeasuredFigureName)) {
      return refuse(`a figure that the selected measurements have: ${available.join(', ')}`);
    }
    return supportProblem(measured, figure, refuse);
  });
}

function runFigureProblem(expectation: Expectation, figure: ExpectableFigureName, path: string): PlanProblem[] {
  const { type, pair, measurement } = expectation;
  const { maxPercentBelow, maxPercentAbove } = expectation[figure] ?? {};
  const refuse = (allowed: string) => [{ path, value: expectation[figure], allowed }];
  if ([type, pair, measurement].some((selector) => selector !== undefined)) {
    return refuse('in an entry without type, pair and measurement, because it is a figure of the whole run');
  }
  return maxPercentBelow === undefined && maxPercentAbove === undefined
    ? []
    : refuse('an object with min or max, because only figures of measurements are compared with other runs');
}

/** A percentile that none of the measurements can have enough round trips for would never be measured. */
function supportProblem(
  measured: readonly PlanSettings[],
  figure: ExpectableFigureName,
  refuse: (allowed: string) => PlanProblem[],
): PlanProblem[] {
  const field = PERCENTILE_FIELDS.find((each) => figure === `rttMicros.${percentileName(each)}`);
  if (field === undefined) return [];
  const needed = neededObservations(field);
  const counts = measured
    .filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName))
    .map(mostRoundTrips);
  if (counts.some((count) => count >= needed)) return [];
  const most = largest([0, ...counts]);
  return refuse(`a percentile that the round trips support: it needs ${needed}, and there are at most ${most}`);
}

type PlanSettings = MeasurementSettings & { readonly tool: string };

/** Infinity where it is for the network to decide. */
function mostRoundTrips({ packetCount, messagesPerSecond, durationSeconds }: MeasurementSettings): number {
  return packetCount ?? (messagesPerSecond === undefined ? Infinity : messagesPerSecond * durationSeconds);
}

/** The selected measurements of the plan; none where it has no such pair. */
function settingsOf(plan: BenchmarkPlan, expectation: Expectation): PlanSettings[] {
  return plan.measurements.flatMap((entry, planMeasurementIndex) => {
    const isSelected = plan.pairs.some((pair, planPairIndex) =>
      isOfSubject(expectation, { ...pair, planPairIndex, planMeasurementIndex }),
    );
    return isSelected ? [{ tool: entry.tool, ...toolModule(entry.tool).settings(entry) }] : [];
  });
}

/** Of an expanded plan: expectations of which everything can't be measured, with the reason of the first. */
export function checkApplicableExpectations(plan: BenchmarkPlan, pairs: readonly PlannedPair[]): PlanProblem[] {
  return (plan.expect ?? []).flatMap((expectation, index) => {
    const selected = pairs.flatMap((pair) =>
      pair.measurements.filter(({ planMeasurementIndex }) =>
        isOfSubject(expectation, { ...pair, planMeasurementIndex }),
      ),
    );
    return EXPECTABLE_FIGURE_NAMES.flatMap((figure): PlanProblem[] => {
      if (expectation[figure] === undefined || figureNamesOf('run').includes(figure)) return [];
      const having = selected.filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName));
      if (having.some(({ notApplicable }) => notApplicable === undefined)) return [];
      const allowed = `a figure of measurements that can be made (${having[0]?.notApplicable})`;
      return [{ path: formatPlanPath(['expect', index, figure]), value: expectation[figure], allowed }];
    });
  });
}
