/** Puts the judgements on a plan's expectations into words, for the report and for a terminal. */
import { EXPECTABLE_FIGURES } from '../model/expectation';
import { spaced } from '../text/format';
import {
  statusCounts,
  type ExpectationStatus,
  type JudgedExpectation,
  type RunExpectations,
  type ValueWithBounds,
} from './expectations';

type Judged = Pick<RunExpectations, 'judged'>;

/** `2 met, 1 undecided` */
export function countsInWords(expectations: Judged): string {
  const counts = Object.entries(statusCounts(expectations)) as [ExpectationStatus, number][];
  return counts.flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${spaced(status)}`])).join(', ');
}

const MET_LAST: readonly ExpectationStatus[] = ['not_met', 'not_measured', 'undecided', 'met'];

/** Sorts limits by status, those that are met last; within a status the plan's order stays. */
export function metLast({ judged }: Judged): JudgedExpectation[] {
  return [...judged].sort((left, right) => MET_LAST.indexOf(left.status) - MET_LAST.indexOf(right.status));
}

/** Returns the figure's name and ` of <subject>`, which is empty for a figure of the whole run. */
export function judgedFigure({ figure, subject, planPairIndex }: JudgedExpectation): [name: string, of: string] {
  return [EXPECTABLE_FIGURES[figure].name, planPairIndex === null ? '' : ` of ${subject}`];
}

/** Returns the measured value with its interval and, for a relative limit, its change. */
export function foundInWords({ figure, now, changePercent }: JudgedExpectation): string | undefined {
  if (now === null) return undefined;
  const { inWords } = EXPECTABLE_FIGURES[figure];
  const value = withBounds(now, inWords);
  return changePercent === null ? value : `${value}, a change of ${withBounds(changePercent, percentChange)}`;
}

function withBounds({ value, interval }: ValueWithBounds, inWords: (value: number) => string): string {
  if (interval === null) return value === null ? '' : inWords(value);
  const bounds = range(inWords(interval.low), inWords(interval.high));
  return value === null ? bounds : `${inWords(value)} (${bounds})`;
}

/** `1.23 to 1.25 Gbit/s`: a shared unit is written once. */
function range(low: string, high: string): string {
  const [lowNumber, ...lowUnit] = low.split(' ');
  const [, ...highUnit] = high.split(' ');
  return `${lowUnit.join(' ') === highUnit.join(' ') ? lowNumber : low} to ${high}`;
}

const percentChange = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`;
