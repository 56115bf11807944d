/** Refuses expectations that a run of the plan can't meet, before anything is launched. */
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
import { nearestWord } from '../text/nearest-word';
import { formatPlanPath } from '../text/plan-path';
import { measuredFigures, toolModule, type MeasurementPlan } from '../tools/catalogue';
import { problemsAt, type PlanProblem } from '../workflow/error-names';
import type { PairEligibility } from './check-eligibility';
import type { ReadPlan } from './read-plan';

/** Checks the readable expectations against the readable parts of the plan. */
export function checkExpectations(read: ReadPlan): PlanProblem[] {
  const { fields, writtenFields, expectations } = read;
  if (!writtenFields.has('expect')) {
    const allowed = 'left out, because the plan has no expectations (plan.expect)';
    return problemsAt('plan.failOn', fields.failOn, [[fields.failOn !== undefined, allowed]]);
  }
  // An entry that can't be read has no limits.
  const limits = expectedLimits(expectations.map((expectation) => expectation ?? {}));
  const withoutOther = limits.flatMap(({ path, limit, value }) => {
    const allowed = 'left out, because the plan names no run to compare with (plan.compareTo)';
    return problemsAt(path, value, [[LIMITS[limit].isRelative && !writtenFields.has('compareTo'), allowed]]);
  });
  const problems = readable(expectations).flatMap(([expectation, index]) => [
    ...subjectProblems(read, expectation, index),
    ...figureProblems(read, expectation, index),
  ]);
  return [...problems, ...withoutOther];
}

const readable = (expectations: ReadPlan['expectations']) =>
  expectations.flatMap((expectation, index) => (expectation ? [[expectation, index] as const] : []));

function subjectProblems(
  { pairs, pairFields, measurements }: ReadPlan,
  { type, pair, measurement }: Expectation,
  index: number,
): PlanProblem[] {
  const pathOf = (key: string) => formatPlanPath(['expect', index, key]);
  const upTo = (entries: readonly unknown[], word: string) =>
    `the index of one of the plan's ${word}, 0 to ${entries.length - 1}`;
  const isOutside = (entry: number | undefined, entries: readonly unknown[]) =>
    entry !== undefined && entries.length > 0 && entry >= entries.length;
  const written = pairFields.flatMap(({ clientType, serverType }) => [clientType, serverType]);
  const types = [...new Set(written.filter((each) => each !== undefined))].sort();
  // The types are known only if every host's type can be read; a list of pairs that can't be read is empty here.
  const areTypesKnown = written.length > 0 && !written.includes(undefined);
  const isUnknownType = type !== undefined && areTypesKnown && !types.includes(type);
  const chosen = pair === undefined ? undefined : pairs[pair];
  const typesOfChosen = chosen && [...new Set([chosen.clientType, chosen.serverType])];
  const isOfOthers = type !== undefined && typesOfChosen?.includes(type) === false;
  const typesInWords = typesOfChosen?.join(' and ');
  return [
    ...problemsAt(pathOf('type'), type, [
      [isUnknownType, `an instance type of the plan's pairs: ${types.join(', ')}`],
    ]).map((problem) => ({ ...problem, nearest: nearestWord(type ?? '', types) })),
    ...problemsAt(pathOf('pair'), pair, [
      [isOutside(pair, pairs), upTo(pairs, 'pairs')],
      [isOfOthers, `a pair with a host of type ${type} (the types of this pair are ${typesInWords})`],
    ]),
    ...problemsAt(pathOf('measurement'), measurement, [
      [isOutside(measurement, measurements), upTo(measurements, 'measurements')],
    ]),
  ];
}

function figureProblems(read: ReadPlan, expectation: Expectation, index: number): PlanProblem[] {
  const available = figuresOf(read, expectation);
  const named = EXPECTABLE_FIGURE_NAMES.filter((figure) => expectation[figure] !== undefined);
  if (named.length === 0) {
    const figures = available === undefined ? EXPECTABLE_FIGURE_NAMES : [...available, ...figureNamesOf('run')];
    const allowed = `an object with a figure and its limits: ${figures.join(', ')}`;
    return [{ path: formatPlanPath(['expect', index]), value: expectation, allowed }];
  }
  return named.flatMap((figure) => {
    const allowed = refusalOf(read, expectation, figure, available);
    const path = formatPlanPath(['expect', index, figure]);
    return allowed === undefined ? [] : [{ path, value: expectation[figure], allowed }];
  });
}

const isOfRun = (figure: ExpectableFigureName) => figureNamesOf('run').includes(figure);

/** @returns what is allowed instead; undefined if the figure can be expected within these limits */
function refusalOf(
  { measurements }: ReadPlan,
  expectation: Expectation,
  figure: ExpectableFigureName,
  available: readonly MeasuredFigureName[] = [],
): string | undefined {
  const limits = expectation[figure] ?? {};
  const { min = 0, max = Infinity } = limits;
  if (Object.keys(limits).length === 0) return `an object with at least one of ${Object.keys(LIMITS).join(', ')}`;
  if (min > max) return 'limits with a min that is not above the max';
  if (isOfRun(figure)) return refusalOfRun(expectation, figure);
  // A missing pair or an unreadable measurement is already reported as a problem of its own.
  if (available.length === 0) return undefined;
  if (!available.includes(figure as MeasuredFigureName)) {
    return `a figure that the selected measurements have: ${available.join(', ')}`;
  }
  return refusalOfPercentile(selectedBy(expectation.measurement, measurements), figure);
}

function refusalOfRun(expectation: Expectation, figure: ExpectableFigureName): string | undefined {
  const { type, pair, measurement } = expectation;
  const { maxPercentBelow, maxPercentAbove } = expectation[figure] ?? {};
  if ([type, pair, measurement].some((selector) => selector !== undefined)) {
    return 'in an entry without type, pair or measurement, because this figure is of the whole run';
  }
  return maxPercentBelow === undefined && maxPercentAbove === undefined
    ? undefined
    : 'an object with min or max, because only figures of measurements are compared with other runs';
}

/** Refuses a percentile for which none of the selected measurements can have enough round trips. */
function refusalOfPercentile(
  selected: readonly (MeasurementPlan | undefined)[],
  figure: ExpectableFigureName,
): string | undefined {
  const field = PERCENTILE_FIELDS.find((each) => figure === `rttMicros.${percentileName(each)}`);
  // The number of round trips may depend on a field that can't be read.
  const measured = selected.filter((entry) => entry !== undefined);
  if (field === undefined || measured.length < selected.length) return undefined;
  const needed = neededObservations(field);
  const counts = measured
    .filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName))
    .map((entry) => mostRoundTrips(toolModule(entry.tool).settings(entry)));
  const most = largest([0, ...counts]);
  return most >= needed
    ? undefined
    : `a lower percentile, or the measurement must make more round trips (this percentile needs ${needed}, and at most ${most} are made)`;
}

/** Returns Infinity if the speed of the network decides how many round trips there are. */
function mostRoundTrips({ packetCount, messagesPerSecond, durationSeconds }: MeasurementSettings): number {
  return packetCount ?? (messagesPerSecond === undefined ? Infinity : messagesPerSecond * durationSeconds);
}

/** Returns all entries if there is no selector, otherwise the entry at that index. */
const selectedBy = <Entry>(selector: number | undefined, entries: readonly Entry[]) =>
  entries.filter((_, index) => [undefined, index].includes(selector));

/** The figures of the selected measurements; none if no pair matches, undefined if an unreadable part may have more. */
function figuresOf({ pairs, figureSettings }: ReadPlan, expectation: Expectation): MeasuredFigureName[] | undefined {
  const { type } = expectation;
  const selected = selectedBy(expectation.measurement, figureSettings);
  const known = selected.filter((entry) => entry !== undefined);
  const chosen = selectedBy(expectation.pair, pairs);
  const hasPair = chosen.some(
    (pair) => type === undefined || (pair && [pair.clientType, pair.serverType].includes(type)),
  );
  if (known.length < selected.length || (!hasPair && chosen.includes(undefined))) return undefined;
  return hasPair ? [...new Set(known.flatMap(measuredFigures))] : [];
}

/**
 * Reports expectations that no selected measurement can meet, because all of them are not applicable, with the first
 * reason. Reports nothing if a selected measurement or pair is not fully known.
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
  return readable(expectations).flatMap(([expectation, index]) => {
    if (selectedBy(expectation.pair, isUnknown).includes(true)) return [];
    const selected = pairs.flatMap((pair) =>
      pair.measurements.filter(({ planMeasurementIndex }) =>
        isOfSubject(expectation, { ...pair, planMeasurementIndex }),
      ),
    );
    return EXPECTABLE_FIGURE_NAMES.filter((figure) => !isOfRun(figure)).flatMap((figure) => {
      const having = selected.filter((each) => measuredFigures(each).includes(figure as MeasuredFigureName));
      // If no selected measurement has the figure, `checkExpectations` reports that instead.
      const isNever = having.length > 0 && having.every(({ notApplicable }) => notApplicable !== undefined);
      const allowed = `a figure that can be measured (this one can't: ${having[0]?.notApplicable})`;
      const value = expectation[figure];
      return problemsAt(formatPlanPath(['expect', index, figure]), value, [[value !== undefined && isNever, allowed]]);
    });
  });
}
