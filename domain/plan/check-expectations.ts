/**
 * Whether a run can meet what its plan expects at all: an expectation of something that the plan doesn't measure is
 * refused before anything is launched.
 */
import { largest } from '../maths/statistics';
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
import { measuredFigures, toolModule, type MeasurementPlan } from '../tools/catalogue';
import type { PlanProblem } from '../workflow/error-names';
import type { PairEligibility } from './check-eligibility';
import type { ReadPlan } from './read-plan';
import type { PairPlan } from './schema';
import { nearestWord } from '../text/nearest-word';

/** The expectations that can be read, against the parts of the plan that can be read. */
export function checkExpectations(read: ReadPlan): PlanProblem[] {
  const { fields, writtenFields, expectations } = read;
  if (!writtenFields.has('expect')) {
    const allowed = 'left out, because there is no plan.expect, which would have the expectations';
    return fields.failOn === undefined ? [] : [{ path: 'plan.failOn', value: fields.failOn, allowed }];
  }
  // An entry that can't be read has no limits.
  const withoutOther = expectedLimits(expectations.map((expectation) => expectation ?? {})).flatMap(
    ({ path, limit, value }) =>
      LIMITS[limit].isRelative && !writtenFields.has('compareTo')
        ? [
            {
              path,
              value,
              allowed: 'left out, because there is no plan.compareTo, which would name the run to compare with',
            },
          ]
        : [],
  );
  const problems = expectations.flatMap((expectation, index) =>
    expectation === undefined
      ? []
      : [...subjectProblems(read, expectation, index), ...figureProblems(read, expectation, index)],
  );
  return [...problems, ...withoutOther];
}

function subjectProblems(
  { pairs, pairFields, measurements }: ReadPlan,
  { type, pair, measurement }: Expectation,
  index: number,
): PlanProblem[] {
  const problem = (key: string, value: unknown, allowed: string, nearest?: string) => [
    { path: formatPlanPath(['expect', index, key]), value, allowed, nearest },
  ];
  const upTo = (entries: readonly unknown[], word: string) =>
    `the index of one of the plan's ${word}, 0 to ${entries.length - 1}`;
  const written = pairFields.flatMap(({ clientType, serverType }) => [clientType, serverType]);
  const types = [...new Set(written.filter((each) => each !== undefined))].sort();
  const chosen = pair === undefined ? undefined : pairs[pair];
  // A host whose type can't be read may have any, and a list that can't be read has no entries here.
  const areTypesKnown = written.length > 0 && !written.includes(undefined);
  return [
    ...(type !== undefined && areTypesKnown && !types.includes(type)
      ? problem('type', type, `an instance type of the plan's pairs: ${types.join(', ')}`, nearestWord(type, types))
      : []),
    ...(pair !== undefined && pairs.length > 0 && pair >= pairs.length
      ? problem('pair', pair, upTo(pairs, 'pairs'))
      : []),
    ...(chosen !== undefined && type !== undefined && ![chosen.clientType, chosen.serverType].includes(type)
      ? problem('pair', pair, `a pair with a host of type ${type} (its types are ${typesOf(chosen)})`)
      : []),
    ...(measurement !== undefined && measurements.length > 0 && measurement >= measurements.length
      ? problem('measurement', measurement, upTo(measurements, 'measurements'))
      : []),
  ];
}

const typesOf = ({ clientType, serverType }: PairPlan) => [...new Set([clientType, serverType])].join(' and ');

function figureProblems(read: ReadPlan, expectation: Expectation, index: number): PlanProblem[] {
  const available = figuresOf(read, expectation);
  const named = EXPECTABLE_FIGURE_NAMES.filter((figure) => expectation[figure] !== undefined);
  if (named.length === 0) {
    const figures = available === undefined ? EXPECTABLE_FIGURE_NAMES : [...available, ...figureNamesOf('run')];
    const allowed = `an object with a figure and its limits: ${figures.join(', ')}`;
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
    if (min !== undefined && max !== undefined && min > max) return refuse('limits whose min is not above their max');
    if (figureNamesOf('run').includes(figure)) return runFigureProblem(expectation, figure, path);
    // A subject that the plan doesn't have is a problem of its own, and so is a measurement that can't be read.
    if (available === undefined || available.length === 0) return [];
    if (!available.includes(figure as MeasuredFigureName)) {
      return refuse(`a figure that the selected measurements have: ${available.join(', ')}`);
    }
    return supportProblem(selectedMeasurements(read.measurements, expectation), figure, refuse);
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
  selected: readonly (MeasurementPlan | undefined)[],
  figure: ExpectableFigureName,
  refuse: (allowed: string) => PlanProblem[],
): PlanProblem[] {
  const field = PERCENTILE_FIELDS.find((each) => figure === `rttMicros.${percentileName(each)}`);
  if (field === undefined) return [];
  const needed = neededObservations(field);
  // How many round trips there are may depend on a field that is wrong.
  const measured = selected.filter((entry) => entry !== undefined);
  if (measured.length < selected.length) return [];
  const counts = measured
    .filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName))
    .map((entry) => mostRoundTrips(toolModule(entry.tool).settings(entry)));
  if (counts.some((count) => count >= needed)) return [];
  const most = largest([0, ...counts]);
  return refuse(
    `a percentile that needs at most as many round trips as there are (it needs ${needed}, and there are at most ${most})`,
  );
}

/** Infinity where it is for the network to decide. */
function mostRoundTrips({ packetCount, messagesPerSecond, durationSeconds }: MeasurementSettings): number {
  return packetCount ?? (messagesPerSecond === undefined ? Infinity : messagesPerSecond * durationSeconds);
}

const selectedMeasurements = <Entry>(entries: readonly Entry[], { measurement }: Expectation) =>
  entries.filter((_, index) => [undefined, index].includes(measurement));

/** The figures of the selected measurements; none where there is no such pair, undefined where a wrong part may have others. */
function figuresOf({ pairs, figureSettings }: ReadPlan, expectation: Expectation): MeasuredFigureName[] | undefined {
  const selected = selectedMeasurements(figureSettings, expectation);
  const known = selected.filter((entry) => entry !== undefined);
  const chosen = pairs.filter((_, index) => [undefined, index].includes(expectation.pair));
  const { type } = expectation;
  const hasPair = chosen.some(
    (pair) => type === undefined || (pair && [pair.clientType, pair.serverType].includes(type)),
  );
  if (known.length < selected.length || (!hasPair && chosen.includes(undefined))) return undefined;
  return hasPair ? [...new Set(known.flatMap(measuredFigures))] : [];
}

/**
 * Expectations of which everything can't be measured, with the reason of the first. Where a selected measurement or pair
 * is not known for certain, nothing is said.
 * @param eligibilities of all pairs of the plan
 * @param pairs the expanded plan, without the pairs that can't be launched
 */
export function checkApplicableExpectations(
  { expectations, measurements, pairs: planPairs }: ReadPlan,
  eligibilities: readonly (PairEligibility | undefined)[],
  pairs: readonly PlannedPair[],
): PlanProblem[] {
  if (measurements.includes(undefined)) return [];
  const isUnknown = planPairs.map((_, index) => (eligibilities[index]?.problems ?? ['unreadable']).length > 0);
  return expectations.flatMap((expectation, index) => {
    if (expectation === undefined) return [];
    const mayBeUnknown = isUnknown.some((each, pair) => each && [undefined, pair].includes(expectation.pair));
    if (mayBeUnknown) return [];
    const selected = pairs.flatMap((pair) =>
      pair.measurements.filter(({ planMeasurementIndex }) =>
        isOfSubject(expectation, { ...pair, planMeasurementIndex }),
      ),
    );
    return EXPECTABLE_FIGURE_NAMES.flatMap((figure): PlanProblem[] => {
      if (expectation[figure] === undefined || figureNamesOf('run').includes(figure)) return [];
      const having = selected.filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName));
      // Without any, the problem is another one, and is reported as such.
      if (having.length === 0 || having.some(({ notApplicable }) => notApplicable === undefined)) return [];
      const allowed = `a figure that can be measured (${having[0]?.notApplicable})`;
      return [{ path: formatPlanPath(['expect', index, figure]), value: expectation[figure], allowed }];
    });
  });
}
