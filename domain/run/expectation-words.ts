/** The judgements on a plan's expectations in words, for the report and for a terminal. */
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

/** In the plan's order, but what is met comes last. */
export function metLast({ judged }: Judged): JudgedExpectation[] {
  return [...judged].sort((left, right) => MET_LAST.indexOf(left.status) - MET_LAST.indexOf(right.status));
}

/** The name of the figure, and of what it is; a figure of the whole run has that in its name. */
export function judgedFigure({ figure, subject, planPairIndex }: JudgedExpectation): [name: string, of: string] {
  return [EXPECTABLE_FIGURES[figure].name, planPairIndex === null ? '' : ` of ${subject}`];
}

/** The figure that the limit is about with its interval: the change for a relative limit that has one. */
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

/** `1.23 to 1.25 Gbit/s`: a unit that both have stands once. */
function range(low: string, high: string): string {
  const [lowNumber, ...lowUnit] = low.split(' ');
  const [, ...highUnit] = high.split(' ');
  return `${lowUnit.join(' ') === highUnit.join(' ') ? lowNumber : low} to ${high}`;
}

const percentChange = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`;
