/**
 * What a measurement may say depends on its tool. Where the plan misspells the tool, or the word `tool` itself, the one that
 * was most likely meant is put in its place, so that the rest of the measurement is checked at once.
 */
import { measurementPlan, TOOL_MODULES } from '../tools/catalogue';
import { nearestWord } from '../text/nearest-word';
import { formatPlanPath } from '../text/plan-path';
import type { PlanProblem } from '../workflow/error-names';
import { allowedAt, unknownKeyRefusal, valueAt, type PlanPath } from './allowed-values';

const TOOLS = TOOL_MODULES.map(({ name }) => name);
/** The keys of all tools: none of them can be a misspelt `tool`. */
const KEYS = new Set(measurementPlan.options.flatMap(({ shape }) => Object.keys(shape)));

export interface KnownTools {
  readonly plan: unknown;
  /** One for each word that was replaced, as it is written. */
  readonly problems: readonly PlanProblem[];
}

/** @param written a plan; the problems of a tool that is like none are left to its schema */
export function withKnownTools(written: unknown): KnownTools {
  const entries = valueAt(written, ['measurements']);
  if (!Array.isArray(entries)) return { plan: written, problems: [] };
  const plan: unknown = structuredClone(written);
  const problems = entries.flatMap((_, index) => withTool(plan, ['measurements', index]));
  return { plan, problems };
}

/** Changes the measurement at the path, and returns what was wrong with it. */
function withTool(plan: unknown, path: PlanPath): readonly PlanProblem[] {
  const entry = valueAt(plan, path);
  if (typeof entry !== 'object' || entry === null) return [];
  const measurement = entry as Record<string, unknown>;
  const key = Object.hasOwn(measurement, 'tool') ? 'tool' : misspeltKey(measurement);
  if (key === undefined) return [];
  const value = measurement[key];
  const word = typeof value === 'string' ? value : '';
  const nearest = TOOLS.includes(word) ? undefined : nearestWord(word, TOOLS);
  const allowedTools = allowedAt(plan, [...path, 'tool']);
  if (key === 'tool') {
    if (nearest === undefined) return [];
    measurement.tool = nearest;
    return [{ path: formatPlanPath([...path, key]), value, allowed: allowedTools, nearest }];
  }
  Reflect.deleteProperty(measurement, key);
  measurement.tool = nearest ?? value;
  return [
    { path: formatPlanPath([...path, key]), value, allowed: unknownKeyRefusal([], 'tool'), nearest: 'tool' },
    ...(nearest === undefined
      ? []
      : [{ path: formatPlanPath([...path, 'tool']), value, allowed: allowedTools, nearest }]),
  ];
}

/** A key that is like `tool`, or one with the name of a tool as its value. */
function misspeltKey(measurement: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(measurement).filter((key) => !KEYS.has(key));
  const isTool = (value: unknown) => typeof value === 'string' && TOOLS.includes(value);
  return (
    unknown.find((key) => nearestWord(key, ['tool']) !== undefined) ?? unknown.find((key) => isTool(measurement[key]))
  );
}
