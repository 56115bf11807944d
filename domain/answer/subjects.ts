/**
 * Decides what the plan compares, and groups the measurements into the rows of the answer:
 *
 * | the plan has                    | a row is                       | the question is  |
 * | ------------------------------- | ------------------------------ | ---------------- |
 * | several pairs of instance types | types under the same conditions | `types`         |
 * | one pair, several conditions    | the conditions                 | `conditions`     |
 * | one of both, several settings   | the settings                   | `settings`       |
 * | one of each                     | all of it                      | `none`           |
 *
 * Types and conditions are compared in the settings that all of them share, if there are any.
 */
import { groupBy } from '../maths/elements';
import { cellOf, type CellFactName } from '../model/cell';
import { CONDITION_NAMES } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import { SETTING_NAMES, settingsInWords, type SettingName } from '../model/settings';
import { cellsOf, labelledCells, type Cell } from '../repetitions/cells';
import type { Question } from '../model/answer';

/** Measurements in one setting: only how long they took may differ. */
export interface Way {
  readonly key: string;
  /** In words: `TCP, 8 streams, forward`. */
  readonly words: string;
  readonly results: Cell['results'];
}

export interface Subject {
  readonly label: string;
  /** At least one of both lists is not empty. */
  readonly throughput: readonly Way[];
  readonly latency: readonly Way[];
}

export interface Subjects {
  readonly question: Question;
  readonly shared: string;
  readonly subjects: readonly Subject[];
}

/** What may differ between repetitions of one setting. */
const DURATIONS: readonly SettingName[] = ['durationSeconds', 'stopAfterThrottledSeconds'];
const TYPES: readonly CellFactName[] = ['clientType', 'serverType'];
const PLACE: readonly CellFactName[] = [...TYPES, ...CONDITION_NAMES];
const WAY: readonly CellFactName[] = ['tool', ...SETTING_NAMES];

export function subjectsOf(results: readonly MeasurementResult[]): Subjects {
  const measured = cellsOf(results).filter(({ results: [{ kind }] }) => kind === 'throughput' || kind === 'latency');
  const places = [...groupBy(measured, ({ results: [first] }) => cellOf(first, WAY)).values()].map(waysOf);
  const compared = places.length > 1 ? inSharedWays(places) : places.flatMap(bySetting);
  const { rows, shared } = labelledCells(compared.map((ways) => ({ ways, results: factsOf(ways) })));
  return {
    question: questionOf(places, compared),
    shared,
    subjects: rows.map(({ item: { ways }, label }) => ({
      label,
      throughput: ways.filter(isOf('throughput')),
      latency: ways.filter(isOf('latency')),
    })),
  };
}

type Ways = readonly [Way, ...Way[]];

const isOf =
  (kind: MeasurementResult['kind']) =>
  ({ results: [first] }: Way) =>
    first.kind === kind;

function waysOf(cells: readonly [Cell, ...Cell[]]): Ways {
  const groups = groupBy(cells, ({ results: [first] }) => cellOf(first, [...PLACE, ...DURATIONS]));
  return [...groups].map(([key, same]): Way => {
    const results = same.flatMap((cell) => cell.results) as unknown as Cell['results'];
    return { key, words: wayInWords(results[0]), results };
  }) as unknown as Ways;
}

function wayInWords(first: MeasurementResult): string {
  const settings = Object.fromEntries(
    SETTING_NAMES.filter((name) => !DURATIONS.includes(name)).map((name) => [name, first[name]]),
  );
  return `${first.tool}, ${settingsInWords(settings as unknown as MeasurementResult)}`;
}

/** Leaves out the settings of throughput that not all places have, unless there would be none left. */
function inSharedWays(places: readonly Ways[]): Ways[] {
  const rated = places.filter((ways) => ways.some(isOf('throughput')));
  const isShared = ({ key }: Way) => rated.every((ways) => ways.some((way) => way.key === key));
  const hasShared = rated.some((ways) => ways.some((way) => isOf('throughput')(way) && isShared(way)));
  return places.flatMap((ways) => {
    if (!hasShared && ways.filter(isOf('throughput')).length > 1) return bySetting(ways);
    const kept = hasShared ? ways.filter((way) => isOf('latency')(way) || isShared(way)) : ways;
    return kept.length === 0 ? [] : [kept as unknown as Ways];
  });
}

/** A row for each setting of throughput, or of latency where there are no others; beside one setting, latency is a column. */
function bySetting(ways: Ways): Ways[] {
  const rated = ways.filter(isOf('throughput'));
  if (rated.length === 1) return [ways];
  return ways.map((way) => [way]);
}

/** The facts of a row by which it is labelled: those of its only setting of throughput, or those of its place alone. */
function factsOf(ways: Ways): Cell['results'] {
  const rated = ways.filter(isOf('throughput'));
  const told = rated.length === 0 ? ways : rated;
  const [{ results }] = told as unknown as Ways;
  const dropped: readonly string[] = told.length === 1 ? DURATIONS : WAY;
  const place = Object.fromEntries(Object.entries(results[0]).filter(([name]) => !dropped.includes(name)));
  return [place as unknown as MeasurementResult];
}

function questionOf(places: readonly Ways[], rows: readonly Ways[]): Question {
  if (rows.length <= 1) return 'none';
  const firsts = places.map(([{ results }]) => results[0]);
  if (new Set(firsts.map(({ clientType, serverType }) => `${clientType} ${serverType}`)).size > 1) return 'types';
  return firsts.length > 1 ? 'conditions' : 'settings';
}
