/**
 * Judges the expectations of a plan at the end of its run: each limit of each figure, for each cell that it applies to.
 *
 * | status         | the 95 % interval of the figure, or of its change against the other run |
 * | -------------- | ----------------------------------------------------------------------- |
 * | `met`          | lies within the limit                                                   |
 * | `not_met`      | lies beyond it                                                          |
 * | `undecided`    | contains the limit                                                      |
 * | `not_measured` | there is no figure, or nothing to compare it with                       |
 *
 * A figure without an interval is judged by its value alone, and `note` says so. A figure of which only a lower bound
 * is known is judged by that bound.
 */
import { smallest } from '../maths/statistics';
import { groupBy } from '../maths/elements';
import type { Bounds, Interval } from '../maths/interval';
import { cellOf } from '../model/cell';
import { contentionOf } from '../model/contended';
import {
  expectedLimits,
  isOfSubject,
  LIMITS,
  type ExpectedLimit,
  type Expectation,
  type MeasuredFigureName,
} from '../model/expectation';
import { heldBackBy, isHeldBack, verdictWord } from '../model/verdict';
import { neededObservations } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { counted, formatSeconds } from '../text/format';
import { measuredFigures } from '../tools/catalogue';
import { cellsOf, inPlanOrder, isDisplaced, sharesPairs, type Cell } from '../repetitions/cells';
import { comparedSides, judgedRatio, levelOf, sideOf, valuesOf, type Side } from '../repetitions/figure-change';
import { EXPECTED_FIGURES, type ReadFigure } from './expected-figures';

export type ExpectationStatus = 'met' | 'not_met' | 'undecided' | 'not_measured';

/** A figure or a change in the form of `summary.json`. */
export interface ValueWithBounds {
  /** null where the repetitions have several modes. */
  readonly value: number | null;
  /** The 95 % interval, or the range of all values where they have several modes; null where there is none. */
  readonly interval: Bounds | null;
}

/** The judgement of one limit for one cell. */
export interface JudgedExpectation {
  /** The limit's place in the plan: `plan.expect[0].baselineBitsPerSecond.min`. */
  readonly path: string;
  readonly status: ExpectationStatus;
  readonly figure: ExpectedLimit['figure'];
  readonly limit: ExpectedLimit['limit'];
  readonly limitValue: number;
  /** The identity of the measurements, displaced or not; null for a figure of the run, absent in summaries of 0.3.0. */
  readonly cell?: string | null;
  /** null for a figure of the run. */
  readonly planPairIndex: number | null;
  readonly planMeasurementIndex: number | null;
  /** The instance types and the tool in words. */
  readonly subject: string;
  /** The complete measurements that have the figure. */
  readonly measurementIds: readonly string[];
  /** The figure in this run; null where it was not measured. */
  readonly now: ValueWithBounds | null;
  /** The figure in the run that a relative limit compares with; null where it was not measured. */
  readonly earlier: ValueWithBounds | null;
  /** The change in percent of the other run's figure; only for a relative limit. */
  readonly changePercent: ValueWithBounds | null;
  /** Why the figure was not measured, or what the judgement rests on. */
  readonly note: string | null;
}

/** The form of `expectations` in `summary.json`. */
export interface RunExpectations {
  /** `met` only where each limit is met for each cell. */
  readonly outcome: 'met' | 'not_met';
  /** Whether the execution fails because an expectation is not met. */
  readonly failsRun: boolean;
  readonly comparedRunId: string | null;
  readonly judged: readonly JudgedExpectation[];
}

/** The run that relative limits compare with, or why there is none. */
export type OtherRun =
  | { readonly runId: string; readonly results: readonly MeasurementResult[] }
  | { readonly runId: string | null; readonly reason: string };

export interface ExpectationsInput {
  readonly plan: { readonly expect?: readonly Expectation[]; readonly failOn?: 'expectations' };
  /** The results of all planned measurements. */
  readonly results: readonly MeasurementResult[];
  /** null where the price is unknown. */
  readonly costUsd: number | null;
  /** Absent where the plan names no run to compare with; it then has no relative limits. */
  readonly otherRun?: OtherRun;
}

/** @returns undefined for a plan that expects nothing */
export function judgeExpectations(input: ExpectationsInput): RunExpectations | undefined {
  const { expect, failOn } = input.plan;
  if (expect === undefined) return undefined;
  const judged = expectedLimits(expect).flatMap((expected) => judgeLimit(expected, input));
  const isMet = judged.every(({ status }) => status === 'met');
  return {
    outcome: isMet ? 'met' : 'not_met',
    failsRun: !isMet && failOn === 'expectations',
    comparedRunId: input.otherRun?.runId ?? null,
    judged,
  };
}

function judgeLimit(expected: ExpectedLimit, { results, costUsd, otherRun }: ExpectationsInput): JudgedExpectation[] {
  const { figure, subject } = expected;
  if (figure === 'costUsd') return [judgeCost(expected, costUsd)];
  const concerned = results.filter(
    (result) =>
      result.status !== 'not_applicable' && isOfSubject(subject, result) && measuredFigures(result).includes(figure),
  );
  return [...groupBy(inPlanOrder(concerned), plannedCellOf)].map(([cell, planned]) => {
    const { planPairIndex, planMeasurementIndex, clientType, serverType, tool } = planned[0];
    return {
      ...limitFacts(expected),
      cell,
      planPairIndex,
      planMeasurementIndex,
      subject: `${clientType} to ${serverType} (pairs[${planPairIndex}]), ${tool} (measurements[${planMeasurementIndex}])`,
      ...judgeCell(expected, figure, planned, otherRun),
    };
  });
}

/** Expectations of a cell apply to its displaced repetitions too, so these are grouped with the others. */
const plannedCellOf = (result: MeasurementResult) => cellOf(result, ['isDisplaced']);

const limitFacts = ({ path, figure, limit, value }: ExpectedLimit) => ({ path, figure, limit, limitValue: value });

type Judgement = Pick<JudgedExpectation, 'status' | 'measurementIds' | 'now' | 'earlier' | 'changePercent' | 'note'>;

const NOT_MEASURED = {
  status: 'not_measured',
  measurementIds: [],
  now: null,
  earlier: null,
  changePercent: null,
} as const;

function judgeCost(expected: ExpectedLimit, costUsd: number | null): JudgedExpectation {
  const ofRun = { cell: null, planPairIndex: null, planMeasurementIndex: null, subject: 'the run' };
  const facts = { ...limitFacts(expected), ...ofRun };
  if (costUsd === null) return { ...facts, ...NOT_MEASURED, note: 'the price of the run is not known' };
  const now = { value: costUsd, interval: null };
  const status = statusOf(expected, { low: costUsd, high: costUsd }, expected.value);
  return { ...facts, ...NOT_MEASURED, status, now, note: null };
}

/**
 * Displaced repetitions are not mixed with the others; they are judged only where there are no others.
 *
 * @param planned all results of one planned cell, complete or not
 */
function judgeCell(
  expected: ExpectedLimit,
  name: MeasuredFigureName,
  planned: readonly MeasurementResult[],
  otherRun: OtherRun | undefined,
): Judgement {
  const figure = EXPECTED_FIGURES[name];
  const cells = cellsOf(planned);
  const cell = cells.find((each) => !isDisplaced(each)) ?? cells[0];
  const { side: now, notReached = 0 } = cell ? reachedSide(cell, figure) : {};
  if (cell === undefined || now === undefined) {
    const atLeast = cell && leastOf(cell, figure);
    if (atLeast !== undefined && !LIMITS[expected.limit].isRelative) return judgeLeast(expected, atLeast, planned);
    return { ...NOT_MEASURED, note: cell === undefined ? whyNotComplete(planned) : whyWithout(cell, name) };
  }
  const having = cell.results.filter((result) => figure.of(result) !== undefined);
  const measurementIds = having.map(({ measurementId }) => measurementId);
  const measured = { ...NOT_MEASURED, measurementIds, now: valueOf(now) };
  const lacking = planned.length - having.length;
  const share = lacking === 0 ? [] : [`${having.length} of ${counted(planned.length, 'repetition')} have it`];
  const elsewhere = isDisplaced(cell) ? ['displaced: measured in other subnets than planned'] : leftOut(cells);
  // Other work on busy hosts, and not the network, may have made the figure miss or meet its limit.
  const busy = contentionOf(having);
  const noted = (notes: readonly string[]) => [...share, ...elsewhere, ...notes, ...busy].join('; ') || null;
  if (LIMITS[expected.limit].isRelative) {
    const { notes, ...judgement } = judgeChange(expected, cell, now, figure, otherRun);
    return { ...measured, ...judgement, note: noted(notes) };
  }
  const bounds = notReached > 0 ? { ...boundsOf(now), low: 0 } : boundsOf(now);
  const status = statusOf(expected, bounds, expected.value);
  const missed =
    notReached > 0 ? [`${counted(notReached, 'measurement')} of ${having.length} never reached the rate`] : [];
  return { ...measured, status, note: noted([...missed, ...basisOf(now, cell)]) };
}

/** Averages only those that reached the rate, if some did; a limit is judged down to 0 if others did not. */
function reachedSide(cell: Cell, figure: ReadFigure): { readonly side: Side | undefined; readonly notReached: number } {
  const measured = valuesOf(cell, figure);
  const reached = measured.values.filter((value) => value > 0);
  const isMixed = figure.isZeroNotReached === true && reached.length > 0 && reached.length < measured.values.length;
  if (!isMixed) return { side: sideOf(measured, figure), notReached: 0 };
  const zones = measured.zones?.filter((_, index) => (measured.values[index] ?? 0) > 0);
  return {
    side: sideOf({ ...measured, values: reached, zones }, figure),
    notReached: measured.values.length - reached.length,
  };
}

/** Returns the smallest lower bound, if all repetitions have only a lower bound of the figure and no value. */
function leastOf({ results }: Cell, { atLeastOf }: ReadFigure): number | undefined {
  const bounds = results.flatMap((result) => atLeastOf?.(result) ?? []);
  return bounds.length === results.length ? smallest(bounds) : undefined;
}

function judgeLeast(expected: ExpectedLimit, atLeast: number, planned: readonly MeasurementResult[]): Judgement {
  const complete = planned.filter(({ status }) => status === 'complete');
  const measurementIds = complete.map(({ measurementId }) => measurementId);
  const status = statusOf(expected, { low: atLeast, high: Infinity }, expected.value);
  const note =
    atLeast === Infinity
      ? 'that rate is sustained, so that it is held without end'
      : expected.figure === 'onsetSeconds'
        ? `no fall was seen in the ${formatSeconds(atLeast)} that were measured`
        : `it is held for at least ${formatSeconds(atLeast)}, and no fall from it was seen`;
  return { ...NOT_MEASURED, status, measurementIds, note: [note, ...contentionOf(complete)].join('; ') };
}

function judgeChange(
  expected: ExpectedLimit,
  cell: Cell,
  now: Side,
  figure: ReadFigure,
  otherRun: OtherRun | undefined,
): Pick<Judgement, 'status' | 'earlier' | 'changePercent'> & { readonly notes: readonly string[] } {
  const without = (note: string) =>
    ({ status: 'not_measured', earlier: null, changePercent: null, notes: [note] }) as const;
  if (otherRun === undefined) return without('the plan names no run to compare with');
  if ('reason' in otherRun) return without(otherRun.reason);
  if (isDisplaced(cell)) return without('its zones are not those of the other run');
  const other = cellsOf(otherRun.results).find(({ key }) => key === cell.key);
  const earlier = other && sideOf(valuesOf(other, figure), figure);
  if (other === undefined || earlier === undefined) return without(`run ${otherRun.runId} did not measure it`);
  const sides = comparedSides(earlier, now, figure);
  if (sides?.basis === 'several_modes') {
    const notes = ['the values stand in several modes, which have no mean to compare'];
    return { status: 'undecided', earlier: valueOf(earlier), changePercent: null, notes };
  }
  const ratio = sides && judgedRatio(sides)?.ratio;
  const [before, after] = [levelOf(earlier), levelOf(now)];
  // There is no ratio to 0, but any rise from 0 exceeds every relative limit.
  const measured = ratio ?? pointOf(before > 0 ? after / before : after > 0 ? Infinity : 1);
  const limit = 1 + (LIMITS[expected.limit].isLower ? -expected.value : expected.value) / 100;
  const percentOf = (share: number) => 100 * (share - 1);
  return {
    status: statusOf(expected, measured, limit),
    earlier: valueOf(earlier),
    changePercent:
      before > 0
        ? {
            value: percentOf(measured.value),
            interval: ratio ? { low: percentOf(ratio.low), high: percentOf(ratio.high) } : null,
          }
        : null,
    notes: [
      ...(ratio ? new Set([...basisOf(now, cell), ...basisOf(earlier, other)]) : [NO_INTERVAL]),
      ...contentionOf(other.results, `of run ${otherRun.runId}`),
    ],
  };
}

const pointOf = (value: number): Interval => ({ value, low: value, high: value });

/** Returns the bounds to judge: the interval, the whole range of several modes, or the single value. */
function boundsOf({ statistics: { mean, min, max }, interval }: Side): Bounds {
  return mean === null ? { low: min, high: max } : (interval ?? pointOf(mean));
}

function valueOf(side: Side): ValueWithBounds {
  const { low, high } = boundsOf(side);
  const { mean } = side.statistics;
  return { value: mean, interval: mean === null || side.interval !== undefined ? { low, high } : null };
}

function statusOf({ limit }: Pick<ExpectedLimit, 'limit'>, { low, high }: Bounds, bound: number): ExpectationStatus {
  const [isWithin, isBeyond] = LIMITS[limit].isLower ? [low >= bound, high < bound] : [high <= bound, low > bound];
  if (isWithin) return 'met';
  return isBeyond ? 'not_met' : 'undecided';
}

export function statusCounts({ judged }: Pick<RunExpectations, 'judged'>): Readonly<Record<ExpectationStatus, number>> {
  const counts = { met: 0, not_met: 0, undecided: 0, not_measured: 0 };
  for (const { status } of judged) counts[status] += 1;
  return counts;
}

const NO_INTERVAL = 'judged by values that have no interval';

/** Says what the interval of one side rests on, where it rests on less than repetitions on fresh pairs. */
function basisOf({ statistics, interval }: Side, cell: Cell): string[] {
  if (statistics.mean === null) return ['the values stand in several modes, so that their whole range is judged'];
  if (interval === undefined) return [NO_INTERVAL];
  if (statistics.count === 1) return ["the measurement's own interval; another pair may differ by more"];
  return sharesPairs(cell) ? ['repeated on the same pair; another pair may differ by more'] : [];
}

function leftOut(cells: readonly Cell[]): string[] {
  const displaced = cells.filter(isDisplaced).flatMap(({ results }) => results);
  return displaced.length === 0 ? [] : [`${counted(displaced.length, 'displaced repetition')} left out`];
}

function whyNotComplete(planned: readonly MeasurementResult[]): string {
  const whyNot = ({ status, reason, ...result }: MeasurementResult) =>
    reason ?? (isHeldBack(result) ? `was held back by ${heldBackBy(result)}` : `is ${status}`);
  const reasons = planned.map((result) => `${result.measurementId} ${whyNot(result)}`);
  const [first, ...others] = reasons;
  const what = planned.some(isHeldBack) ? 'no measurement shows the path' : 'no measurement is complete';
  return `${what}: ${first}${others.length === 0 ? '' : `; and ${others.length} more`}`;
}

/** Says why complete measurements lack a figure: their verdicts have none, or too little was observed. */
function whyWithout({ results }: Cell, name: MeasuredFigureName): string {
  const { percentile } = EXPECTED_FIGURES[name];
  if (percentile !== undefined) return `too few round trips: it needs ${neededObservations(percentile)}`;
  const judged = results.flatMap(({ verdict, packetVerdict }) => packetVerdict ?? verdict ?? []);
  const words = [...new Set(judged.map(verdictWord))];
  if (words.length > 0) return `the verdict is ${words.join(' and ')}, which has no such figure`;
  return 'the measurements have no such figure';
}
