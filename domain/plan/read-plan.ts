/**
 * Validates a submitted plan against its schema. Valid parts are passed on even if others are not, so that later checks
 * can report their problems together with these. What is a misspelt name of a field is read as that field.
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

/** The valid parts of a plan; the entries of its lists each at its own index. */
export interface ReadPlan {
  /** Only when the whole plan is valid against the schema. */
  readonly plan?: BenchmarkPlan;
  /** The fields that are valid as a whole, with the defaults of those that the plan leaves out. */
  readonly fields: Partial<BenchmarkPlan>;
  /** Which fields the plan has, valid or not. */
  readonly writtenFields: ReadonlySet<keyof BenchmarkPlan>;
  readonly pairs: readonly (PairPlan | undefined)[];
  /** Of every pair, valid or not. */
  readonly pairFields: readonly PairFields[];
  readonly measurements: readonly (MeasurementPlan | undefined)[];
  readonly expectations: readonly (Expectation | undefined)[];
  /** The pairs and measurements that are valid once their wrong fields are left out, so that these have their defaults. */
  readonly mended: {
    readonly pairs: readonly (PairPlan | undefined)[];
    readonly measurements: readonly (MeasurementPlan | undefined)[];
  };
  /** What decides which figures each measurement has; undefined where one of these fields is wrong. */
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
  // What is left of such an entry may have no figure or no limit, which is not what is wrong with it.
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

/**
 * With ENA Express on any pair, the MTU that it needs on all pairs that say none: those with and those without it would
 * be compared at different MTUs otherwise.
 */
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
  /** The objects that lost a key, by their path. */
  readonly shortened: readonly PlanPath[];
}

/** The plan without misspelt tools and without unknown keys; those of a measurement are known once its tool is. */
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
 * The plan without unknown keys. The value of one that is near to another key gets that key, where it is allowed and not
 * used, so that a misspelt name hides nothing of its value. Each unknown key is reported as it is written.
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
  // A list under a misspelt name has entries with keys of their own.
  const deeper = withKnownKeys(plan);
  return {
    plan: deeper.plan,
    problems: [...found.map(({ problem }) => problem), ...deeper.problems],
    shortened: [...shortened.map(({ within }) => within), ...deeper.shortened],
  };
}

/** An object of the plan, in which keys can be changed. */
const recordAt = (plan: unknown, path: PlanPath) => valueAt(plan, path) as Record<string, unknown>;

/** What the entry is without the innermost fields that the schema refuses; undefined where it is not valid even so. */
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
  // The schema rejects longer lists anyway; checking the first thousand entries is enough.
  return Array.isArray(entries) ? (entries as unknown[]).slice(0, 1000) : [];
}

const TOOLS = TOOL_MODULES.map(({ name }) => name);
/** The keys of all tools: none of them can be a misspelt `tool`. */
const KEYS = new Set(measurementPlan.options.flatMap(({ shape }) => Object.keys(shape)));

/**
 * What a measurement may say depends on its tool. Where the plan misspells the tool, or the word `tool` itself, the one that
 * was most likely meant is put in its place, so that the rest of the measurement is checked at once.
 *
 * @returns a problem for each word that was replaced, as it is written; those of a tool that is like none are left to the
 *   schema
 */
function withKnownTools(written: unknown): Pick<KnownKeys, 'plan' | 'problems'> {
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
  const allowed = allowedAt(plan, [...path, 'tool']);
  const ofTool = nearest === undefined ? [] : [{ path: formatPlanPath([...path, 'tool']), value, allowed, nearest }];
  if (key !== 'tool') Reflect.deleteProperty(measurement, key);
  measurement.tool = nearest ?? value;
  if (key === 'tool') return ofTool;
  const refusal = unknownKeyRefusal([], 'tool');
  return [{ path: formatPlanPath([...path, key]), value, allowed: refusal, nearest: 'tool' }, ...ofTool];
}

/** A key that is like `tool`, or one with the name of a tool as its value. */
function misspeltKey(measurement: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(measurement).filter((key) => !KEYS.has(key));
  const isTool = (value: unknown) => typeof value === 'string' && TOOLS.includes(value);
  return (
    unknown.find((key) => nearestWord(key, ['tool']) !== undefined) ?? unknown.find((key) => isTool(measurement[key]))
  );
}
