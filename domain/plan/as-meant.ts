/**
 * Reads a plan as it was meant: misspelt keys and tools, keys at another place of the plan, figures in another unit, and
 * entries that are no objects. Each of them is reported as it is written, and its value is checked where it was meant.
 */
import { HOST_ROLES } from '../model/host-role';
import { nearestWord } from '../text/nearest-word';
import { formatPlanPath } from '../text/plan-path';
import { measurementPlan, TOOL_MODULES } from '../tools/catalogue';
import type { PlanProblem } from '../workflow/error-names';
import { allowedAt, allowedKeysAt, unknownKeyRefusal, valueAt, type PlanPath } from './allowed-values';
import { meantKey } from './meant-keys';
import { benchmarkPlan, pairFieldsPlan, pairPlan } from './schema';

interface KnownKeys {
  readonly plan: unknown;
  readonly problems: readonly PlanProblem[];
  /** The paths of the objects that lost a key. */
  readonly shortened: readonly PlanPath[];
}

/** Reads entries and keys as they were meant. The keys of a measurement can be checked only once its tool is known. */
export function asMeant(written: unknown): KnownKeys {
  const shapes = withKnownShapes(written);
  const keys = withKnownKeys(shapes.plan);
  const tools = withKnownTools(keys.plan);
  const deeper = tools.problems.length === 0 ? undefined : withKnownKeys(tools.plan);
  return {
    plan: deeper?.plan ?? keys.plan,
    problems: [...shapes.problems, ...keys.problems, ...tools.problems, ...(deeper?.problems ?? [])],
    shortened: [...keys.shortened, ...(deeper?.shortened ?? [])],
  };
}

const LISTS = ['pairs', 'measurements', 'expect'] as const;

/** Reads a single entry as a list of one, and a word as the entry that it stands for. */
function withKnownShapes(written: unknown): Pick<KnownKeys, 'plan' | 'problems'> {
  if (!isObject(written)) return { plan: written, problems: [] };
  const problems: PlanProblem[] = [];
  const plan = { ...written };
  for (const list of LISTS) {
    const value = plan[list];
    const isSingle = isObject(value) && Object.keys(value).length > 0;
    const entries = isSingle ? [value] : value;
    if (!Array.isArray(entries)) continue;
    if (isSingle) {
      const allowed = `${allowedAt(written, [list])}, as "${list}": ${JSON.stringify([value])}`;
      problems.push({ path: formatPlanPath([list]), value, allowed });
    }
    plan[list] = entries.map((entry: unknown, index) => {
      const meant = list === 'pairs' ? meantPair(entry) : list === 'measurements' ? meantMeasurement(entry) : undefined;
      if (meant === undefined && list === 'pairs') {
        const hosts = withTypesOfHosts(entry, [list, index]);
        for (const problem of hosts.problems) problems.push(problem);
        return hosts.plan;
      }
      if (meant === undefined) return entry;
      const allowed = `an object, as ${JSON.stringify(meant)}`;
      problems.push({ path: formatPlanPath([list, index]), value: entry, allowed });
      return meant;
    });
  }
  return { plan, problems };
}

/** Reads the type of a host where the object of the host is. */
function withTypesOfHosts(entry: unknown, path: PlanPath): Pick<KnownKeys, 'plan' | 'problems'> {
  if (!isObject(entry)) return { plan: entry, problems: [] };
  const plan = { ...entry };
  const problems = HOST_ROLES.flatMap((role) => {
    const value = plan[role];
    const key = `${role}Type` as const;
    if (Object.hasOwn(plan, key) || !pairFieldsPlan.shape[key].safeParse(value).success || value === undefined)
      return [];
    Reflect.deleteProperty(plan, role);
    plan[key] = value;
    return [{ path: formatPlanPath([...path, role]), value, allowed: 'an object', nearest: key }];
  });
  return { plan, problems };
}

/** Reads `"c5.large"` and `["c5.large", "c5.xlarge"]` as pairs. */
function meantPair(entry: unknown): unknown {
  const types: unknown[] = Array.isArray(entry) ? entry : [entry, entry];
  const [clientType, serverType = clientType, ...others] = types;
  const meant = { clientType, serverType };
  return others.length === 0 && pairPlan.safeParse(meant).success ? meant : undefined;
}

/** Reads the name of a tool as a measurement by it, of a minute where it has to have a duration. */
function meantMeasurement(entry: unknown): unknown {
  if (typeof entry !== 'string') return undefined;
  const tool = TOOLS.includes(entry) ? entry : nearestWord(entry, TOOLS);
  return [{ tool }, { tool, durationSeconds: 60 }].find((each) => measurementPlan.safeParse(each).success);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Removes unknown keys from the plan. The value of one whose meaning is known moves to the key that was meant, so that
 * the value is checked too. Each unknown key is reported as it is written.
 */
function withKnownKeys(written: unknown): KnownKeys {
  const unknown = (benchmarkPlan.safeParse(written).error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ within: issue.path, key })) : [],
  );
  if (unknown.length === 0) return { plan: written, problems: [], shortened: [] };
  const plan: unknown = structuredClone(written);
  const found = unknown.map((place) => replaceKey(plan, place));
  const refused = (benchmarkPlan.safeParse(plan).error?.issues ?? []).map(({ path }) => formatPlanPath(path));
  const isRefused = (path: PlanPath) => {
    const place = formatPlanPath(path);
    return refused.some((each) => each === place || each.startsWith(`${place}.`));
  };
  for (const { moved } of found) {
    // Many entries that got the same wrong value are one mistake.
    for (const path of moved.slice(1).filter(isRefused)) removeAt(plan, path);
  }
  const shortened = found.filter(({ within, renamed }) => {
    const wrong = renamed.filter(isRefused);
    for (const path of wrong) removeAt(plan, path);
    return renamed.length === wrong.length && within.length > 0;
  });
  // A list that was under a misspelt name may have entries with unknown keys of their own.
  const deeper = withKnownKeys(plan);
  return {
    plan: deeper.plan,
    problems: [...found.map(({ problemIn }) => problemIn(plan, written)), ...deeper.problems],
    shortened: [...shortened.map(({ within }) => within), ...deeper.shortened],
  };
}

interface ReplacedKey {
  readonly within: PlanPath;
  /** Where the value is now: under another key, or at other places of the plan. */
  readonly renamed: readonly PlanPath[];
  readonly moved: readonly PlanPath[];
  /** @param plan after all keys have been replaced, so that an example shows them together */
  readonly problemIn: (plan: unknown, written: unknown) => PlanProblem;
}

/** Replaces the key in place. */
function replaceKey(plan: unknown, { within, key }: { readonly within: PlanPath; readonly key: string }): ReplacedKey {
  const value = valueAt(plan, [...within, key]);
  const allowedKeys = allowedKeysAt(plan, within);
  const meant = meantKey(plan, within, key);
  removeAt(plan, [...within, key]);
  const problem = { path: formatPlanPath([...within, key]), value };
  if (meant === undefined) {
    const refusal = { ...problem, allowed: unknownKeyRefusal(allowedKeys, undefined) };
    return { within, renamed: [], moved: [], problemIn: () => refusal };
  }
  if (meant.kind === 'elsewhere') {
    return { within, renamed: [], moved: [], problemIn: () => ({ ...problem, allowed: meant.place }) };
  }
  if (meant.kind === 'renamed') {
    const renamed = meant.keys.flatMap((each) => putAt(plan, [...within, each], meant.value));
    const isPlain = meant.keys.length === 1 && JSON.stringify(value) === JSON.stringify(meant.value);
    const inWords = meant.keys.map((each) => `"${each}": ${JSON.stringify(meant.value)}`).join(' and ');
    const allowed = unknownKeyRefusal(allowedKeys, meant.keys[0]);
    const refusal = { ...problem, allowed, nearest: meant.keys[0], meant: isPlain ? undefined : inWords };
    return { within, renamed, moved: [], problemIn: () => refusal };
  }
  const moved = meant.targets.flatMap((target) => putAt(plan, [...target, key], value));
  const problemIn = (whole: unknown, written: unknown) => ({
    ...problem,
    allowed: `${meant.place}${exampleOf(whole, written, moved[0])}`,
  });
  return { within, renamed: [], moved, problemIn };
}

/** Shows the value as it is to be written: within the innermost object, or within the list that the plan lacked. */
function exampleOf(plan: unknown, written: unknown, moved: PlanPath | undefined): string {
  if (moved === undefined) return '';
  const list = moved.slice(0, 1);
  const isNewList = moved.length > 1 && valueAt(written, list) === undefined;
  const shown = isNewList ? list : typeof moved.at(-2) === 'string' ? moved.slice(0, -1) : moved;
  return `, as "${String(shown.at(-1))}": ${JSON.stringify(valueAt(plan, shown))}`;
}

/** @returns the path, or none where the plan has a value already, or no object to put it into */
function putAt(plan: unknown, path: PlanPath, value: unknown): PlanPath[] {
  let within: unknown = plan;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    if (typeof within !== 'object' || within === null) return [];
    const record = within as Record<PropertyKey, unknown>;
    record[key] ??= typeof path[depth + 1] === 'number' ? [] : {};
    within = record[key];
  }
  const key = path.at(-1);
  if (key === undefined || !isObject(within) || Object.hasOwn(within, key)) return [];
  within[String(key)] = structuredClone(value);
  return [path];
}

function removeAt(plan: unknown, path: PlanPath): void {
  const [within, key] = [valueAt(plan, path.slice(0, -1)), path.at(-1)];
  if (key !== undefined && typeof within === 'object' && within !== null) Reflect.deleteProperty(within, key);
}

const TOOLS = TOOL_MODULES.map(({ name }) => name);
/** The keys of all tools, none of which is taken for a misspelt `tool`. */
const KEYS = new Set(measurementPlan.options.flatMap(({ shape }) => Object.keys(shape)));

/**
 * The allowed keys of a measurement depend on its tool. If the plan misspells the tool, or the key `tool`, the most
 * similar one replaces it, so that the rest of the measurement is checked at once.
 * @returns a problem for each replaced word, as it is written; a tool that resembles none is left to the schema
 */
function withKnownTools(written: unknown): Pick<KnownKeys, 'plan' | 'problems'> {
  const entries = valueAt(written, ['measurements']);
  if (!Array.isArray(entries)) return { plan: written, problems: [] };
  const plan: unknown = structuredClone(written);
  const problems = entries.flatMap((_, index) => withTool(plan, ['measurements', index]));
  return { plan, problems };
}

/** Corrects the tool of the measurement at the path in place, and returns the problems. */
function withTool(plan: unknown, path: PlanPath): readonly PlanProblem[] {
  const entry = valueAt(plan, path);
  if (typeof entry !== 'object' || entry === null) return [];
  const measurement = entry as Record<string, unknown>;
  const key = Object.hasOwn(measurement, 'tool') ? 'tool' : misspeltKey(measurement);
  if (key === undefined) return [];
  const value = measurement[key];
  const word = typeof value === 'string' ? value : '';
  const nearest = TOOLS.includes(word) ? undefined : nearestWord(word, TOOLS);
  const allowed = allowedAt(plan, [...path, 'tool']);
  const ofTool = nearest === undefined ? [] : [{ path: formatPlanPath([...path, 'tool']), value, allowed, nearest }];
  if (key !== 'tool') Reflect.deleteProperty(measurement, key);
  measurement.tool = nearest ?? value;
  if (key === 'tool') return ofTool;
  const refusal = unknownKeyRefusal([], 'tool');
  return [{ path: formatPlanPath([...path, key]), value, allowed: refusal, nearest: 'tool' }, ...ofTool];
}

/** Returns a key that resembles `tool`, or else one whose value is the name of a tool. */
function misspeltKey(measurement: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(measurement).filter((key) => !KEYS.has(key));
  const isTool = (value: unknown) => typeof value === 'string' && TOOLS.includes(value);
  return (
    unknown.find((key) => nearestWord(key, ['tool']) !== undefined) ?? unknown.find((key) => isTool(measurement[key]))
  );
}
