/**
 * How often nine newcomers are refused before their plan is accepted as they want it, if they do what the messages say
 * and nothing else. A plan that is accepted without something that they wanted costs them another round.
 */
import { describe, expect, test } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { offlinePlan } from '../../../bin/offline-plan';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { FIRST_TRIES } from '../../support/first-tries';

type Path = readonly (string | number)[];
type Plan = Record<string, unknown>;
const MOST_ROUNDS = 11;

const linesOf = (plan: unknown) => offlinePlan(plan).problems.map(formatPlanProblem);

function valueAt(plan: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Plan | undefined)?.[key], plan);
}

function put(plan: unknown, path: Path, value: unknown): void {
  (valueAt(plan, path.slice(0, -1)) as Plan)[path.at(-1)!] = value;
}

function remove(plan: unknown, path: Path): void {
  Reflect.deleteProperty(valueAt(plan, path.slice(0, -1)) as Plan, path.at(-1)!);
}

function pathOf(text: string): Path {
  return [...text.matchAll(/\.([\w$]+)|\[(\d+)\]|\[("[^"]*")\]/g)].map(
    ([, word, index, quoted]) => word ?? (index === undefined ? (JSON.parse(quoted!) as string) : Number(index)),
  );
}

/** Does to the plan what the line says. */
function obey(plan: Plan, line: string): void {
  const [, place = '', allowed = '', , question] =
    /^plan([^:]*): must be (.*), got (.*?)(?:; did you mean (.*)\?)?$/.exec(line) ?? [];
  const path = pathOf(place);
  const [within, value] = [path.slice(0, -1), valueAt(plan, path)];
  const words = question === undefined ? [] : [...question.matchAll(/"([\w.]+)"(?:: (.*?))?(?= and "|$)/g)];
  if (allowed.startsWith('left out') || (allowed === 'an object' && words.length > 0)) {
    remove(plan, path);
    for (const [, key = '', json] of words) put(plan, [...within, key], json === undefined ? value : JSON.parse(json));
    return;
  }
  if (question !== undefined) return put(plan, path, JSON.parse(question));
  const [, list] = /inside (?:"\w+" of )?each entry of "(\w+)"/.exec(allowed) ?? [];
  const [, shown = '', example] = /, as "(\w+)": (.*)$/.exec(allowed) ?? [];
  if (list !== undefined || allowed.startsWith('inside "') || allowed.startsWith('at the top')) {
    remove(plan, path);
    if (example === undefined) return;
    const entries = list === undefined || list === shown ? undefined : (plan[list] as Plan[]);
    for (const entry of entries ?? [allowed.startsWith('inside "') ? (valueAt(plan, within) as Plan) : plan]) {
      entry[shown] = JSON.parse(example) as unknown;
    }
    return;
  }
  const whole = example ?? /, as (.*)$/.exec(allowed)?.[1];
  if (whole !== undefined) return put(plan, path, JSON.parse(whole));
  if (allowed.startsWith('{} for the defaults')) return put(plan, path, {});
  const [, least] = /at least ([\d.]+)/.exec(allowed) ?? [];
  if (least !== undefined) return put(plan, path, Number(least));
  const [, below] = /less than durationSeconds \((\d+)\)/.exec(allowed) ?? [];
  if (below !== undefined) return put(plan, path, Number(below) - 1);
  const [, stray] = /so without "(.)"/.exec(allowed) ?? [];
  if (stray !== undefined) return put(plan, path, String(value).replaceAll(stray, '-'));
}

/** Ends with a plan that is accepted, or after five rounds. */
function roundsOf(written: object, wanted: object): { readonly rounds: number; readonly accepted: unknown } {
  let plan = written as Plan;
  let rounds = 0;
  for (let lines = linesOf(plan); lines.length > 0 && rounds < 5; lines = linesOf(plan)) {
    rounds += 1;
    plan = JSON.parse(JSON.stringify(plan)) as Plan;
    for (const line of lines) obey(plan, line);
  }
  return { rounds: isDeepStrictEqual(plan, wanted) ? rounds : rounds + 1, accepted: plan };
}

/** What depends on the size of a type is checked once the type is known. */
const IN_TWO_ROUNDS = 'a name with a slash, a type that is misspelt, and limits that are too low';

describe('a newcomer’s first try', () => {
  test.each(Object.entries(FIRST_TRIES))('with %s becomes the plan that was wanted', (kind, { written, wanted }) => {
    expect(linesOf(wanted)).toEqual([]);
    expect(roundsOf(written, wanted)).toEqual({ rounds: kind === IN_TWO_ROUNDS ? 2 : 1, accepted: wanted });
  });

  test(`is accepted after at most ${MOST_ROUNDS} rounds of all nine`, () => {
    const rounds = Object.values(FIRST_TRIES).map(({ written, wanted }) => roundsOf(written, wanted).rounds);
    expect(rounds).toHaveLength(9);
    expect(rounds.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(MOST_ROUNDS);
  });
});
