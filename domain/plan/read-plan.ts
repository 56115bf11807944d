/**
 * Validates a submitted plan against its schema. Valid parts are passed on even if others are invalid, so that later
 * checks report their problems together with these. A misspelt field name is read as the field that it resembles.
 */
import * as z from 'zod';
import type { EnaExpress } from '../model/conditions';
import { ENA_EXPRESS_FRAME_BYTES } from '../model/ec2-facts';
import type { Expectation } from '../model/expectation';
import { nearestWord } from '../text/nearest-word';
import { formatPlanPath } from '../text/plan-path';
import { measurementPlan, type MeasurementPlan, TOOL_MODULES } from '../tools/catalogue';
import type { FigureSettings } from '../tools/tool-module';
import type { PlanProblem } from '../workflow/error-names';
import {
  allowedAt,
  allowedKeysAt,
  allowedWordsAt,
  keyRefusal,
  unknownKeyRefusal,
  valueAt,
  type PlanPath,
} from './allowed-values';
import {
  benchmarkPlan,
  expectation,
  pairFieldsPlan,
  pairPlan,
  type BenchmarkPlan,
  type PairFields,
  type PairPlan,
} from './schema';

/** The valid parts of a plan; entries of lists keep their index. */
export interface ReadPlan {
  /** The whole plan, if it is valid against the schema. */
  readonly plan?: BenchmarkPlan;
  /** The valid fields, with defaults for those that the plan leaves out. */
  readonly fields: Partial<BenchmarkPlan>;
  /** Which fields the plan has, valid or not. */
  readonly writtenFields: ReadonlySet<keyof BenchmarkPlan>;
  readonly pairs: readonly (PairPlan | undefined)[];
  /** The readable fields of every pair, valid or not. */
  readonly pairFields: readonly PairFields[];
  readonly measurements: readonly (MeasurementPlan | undefined)[];
  readonly expectations: readonly (Expectation | undefined)[];
  /** The pairs and measurements that are valid once their invalid fields are replaced by defaults. */
  readonly mended: {
    readonly pairs: readonly (PairPlan | undefined)[];
    readonly measurements: readonly (MeasurementPlan | undefined)[];
  };
  /** The settings that decide which figures a measurement has; undefined if one of them is invalid. */
  readonly figureSettings: readonly ReadFigureSettings[];
  readonly problems: readonly PlanProblem[];
}

export type ReadFigureSettings = (FigureSettings & { readonly tool: string }) | undefined;
const FIGURE_FIELDS = ['tool', 'mode', 'protocol'] as const satisfies (keyof NonNullable<ReadFigureSettings>)[];

const WITH_ENA_EXPRESS: readonly unknown[] = ['one_side', 'both'] satisfies EnaExpress[];
const FIELDS = Object.keys(benchmarkPlan.shape) as (keyof BenchmarkPlan)[];

export function readPlan(written: unknown): ReadPlan {
  const { plan: meant, problems: spelling, shortened } = asMeant(written);
  const submitted = withMtuOfEnaExpress(meant);
  const read = benchmarkPlan.safeParse(submitted);
  const writtenFields = new Set(FIELDS.filter((field) => valueAt(submitted, [field]) !== undefined));
  // An expectation that lost an unknown key may have no figure or limit left; reporting that would mislead.
  const isShortened = (index: number) => shortened.some(([field, entry]) => field === 'expect' && entry === index);
  const [pairs, measurements] = [entriesOf(submitted, 'pairs'), entriesOf(submitted, 'measurements')];
  return {
    plan: spelling.length === 0 ? read.data : undefined,
    fields: read.data ?? validFields(submitted),
    writtenFields,
    pairs: pairs.map((pair) => pairPlan.safeParse(pair).data),
    pairFields: pairs.map((pair) => mended(pairFieldsPlan, pair) ?? {}),
    measurements: measurements.map((entry) => measurementPlan.safeParse(entry).data),
    expectations: entriesOf(submitted, 'expect').map((entry, index) =>
      isShortened(index) ? undefined : expectation.safeParse(entry).data,
    ),
    mended: {
      pairs: pairs.map((pair) => mended(pairPlan, pair)),
      measurements: measurements.map((entry) => mended(measurementPlan, entry)),
    },
    figureSettings: measurements.map(figureSettingsOf),
    problems: [...spelling, ...(read.error?.issues ?? []).map((issue) => problemOf(submitted, issue))],
  };
}

/** Gives all pairs the MTU of ENA Express if any has ENA Express, so that pairs are compared at the same MTU. */
function withMtuOfEnaExpress(plan: unknown): unknown {
  const pairs = valueAt(plan, ['pairs']);
  if (!Array.isArray(pairs) || !pairs.some((pair) => WITH_ENA_EXPRESS.includes(valueAt(pair, ['enaExpress'])))) {
    return plan;
  }
  const withMtu = pairs.map((pair: unknown): unknown =>
    typeof pair === 'object' && pair !== null ? { mtuBytes: ENA_EXPRESS_FRAME_BYTES, ...pair } : pair,
  );
  return { ...(plan as object), pairs: withMtu };
}

function figureSettingsOf(entry: unknown): ReadFigureSettings {
  const plan = measurementPlan.options.find(({ shape }) => shape.tool.safeParse(valueAt(entry, ['tool'])).success);
  const fields = FIGURE_FIELDS.filter((field) => plan !== undefined && field in plan.shape);
  const shape = Object.fromEntries(fields.map((field) => [field, (plan?.shape as z.ZodRawShape)[field]]));
  const { data } = z.object(shape as z.ZodRawShape).safeParse(entry);
  return plan === undefined ? undefined : (data as ReadFigureSettings);
}

function validFields(submitted: unknown): Partial<BenchmarkPlan> {
  const fields = FIELDS.flatMap((field) => {
    const { data } = benchmarkPlan.shape[field].safeParse(valueAt(submitted, [field]));
    return data === undefined ? [] : [[field, data] as const];
  });
  return Object.fromEntries(fields);
}

interface KnownKeys {
  readonly plan: unknown;
  readonly problems: readonly PlanProblem[];
  /** The paths of the objects that lost a key. */
  readonly shortened: readonly PlanPath[];
}

/** Corrects misspelt tools and keys. The keys of a measurement can be checked only once its tool is known. */
function asMeant(written: unknown): KnownKeys {
  const keys = withKnownKeys(written);
  const tools = withKnownTools(keys.plan);
  if (tools.problems.length === 0) return keys;
  const deeper = withKnownKeys(tools.plan);
  return {
    plan: deeper.plan,
    problems: [...keys.problems, ...tools.problems, ...deeper.problems],
    shortened: [...keys.shortened, ...deeper.shortened],
  };
}

/**
 * Removes unknown keys from the plan. If an unknown key resembles an allowed key that is not used, its value moves to
 * that key, so that the value is checked too. Each unknown key is reported as it is written.
 */
function withKnownKeys(written: unknown): KnownKeys {
  const unknown = (benchmarkPlan.safeParse(written).error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ within: issue.path, key })) : [],
  );
  if (unknown.length === 0) return { plan: written, problems: [], shortened: [] };
  const plan: unknown = structuredClone(written);
  const found = unknown.map(({ within, key }) => {
    const [entry, value] = [recordAt(plan, within), valueAt(written, [...within, key])];
    const allowedKeys = allowedKeysAt(written, within);
    const unused = allowedKeys.filter((each) => !Object.hasOwn(entry, each));
    const nearest = nearestWord(key, unused);
    Reflect.deleteProperty(entry, key);
    if (nearest !== undefined) entry[nearest] = value;
    const allowed = unknownKeyRefusal(allowedKeys, nearest);
    return { within, nearest, problem: { path: formatPlanPath([...within, key]), value, allowed, nearest } };
  });
  const refused = new Set(benchmarkPlan.safeParse(plan).error?.issues.map(({ path }) => formatPlanPath(path)));
  const shortened = found.filter(({ within, nearest }) => {
    if (nearest !== undefined && !refused.has(formatPlanPath([...within, nearest]))) return false;
    if (nearest !== undefined) Reflect.deleteProperty(recordAt(plan, within), nearest);
    return true;
  });
  // A list that was under a misspelt name may have entries with unknown keys of their own.
  const deeper = withKnownKeys(plan);
  return {
    plan: deeper.plan,
    problems: [...found.map(({ problem }) => problem), ...deeper.problems],
    shortened: [...shortened.map(({ within }) => within), ...deeper.shortened],
  };
}

const recordAt = (plan: unknown, path: PlanPath) => valueAt(plan, path) as Record<string, unknown>;

/** Returns the entry without the innermost fields that the schema refuses; undefined if it is still invalid. */
function mended<Schema extends z.ZodType>(schema: Schema, entry: unknown): z.infer<Schema> | undefined {
  const rest: unknown = structuredClone(entry);
  for (const { path } of schema.safeParse(entry).error?.issues ?? []) {
    const within = valueAt(rest, path.slice(0, -1));
    const key = path.at(-1);
    if (key !== undefined && typeof within === 'object' && within !== null) Reflect.deleteProperty(within, key);
  }
  return schema.safeParse(rest).data;
}

function problemOf(submitted: unknown, issue: z.core.$ZodIssue): PlanProblem {
  const { path } = issue;
  const within = issue.code === 'invalid_key' ? `, ${keyRefusal(submitted, path.slice(0, -1))}` : '';
  const value = valueAt(submitted, path);
  return {
    path: formatPlanPath(path),
    value,
    allowed: `${allowedAt(submitted, path)}${within}`,
    nearest: typeof value === 'string' ? nearestWord(value, allowedWordsAt(submitted, path)) : undefined,
  };
}

function entriesOf(submitted: unknown, key: 'pairs' | 'measurements' | 'expect'): readonly unknown[] {
  const entries = valueAt(submitted, [key]);
  // The schema rejects longer lists anyway, so checking the first thousand entries is enough.
  return Array.isArray(entries) ? (entries as unknown[]).slice(0, 1000) : [];
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
