/**
 * Validates a submitted plan against its schema. Valid parts are passed on even if others are invalid, so that later
 * checks report their problems together with these. What is misspelt or misplaced is read as it was meant.
 */
import * as z from 'zod';
import type { EnaExpress } from '../model/conditions';
import { ENA_EXPRESS_FRAME_BYTES } from '../model/ec2-facts';
import type { Expectation } from '../model/expectation';
import { nearestWord } from '../text/nearest-word';
import { formatPlanPath } from '../text/plan-path';
import { measurementPlan, type MeasurementPlan } from '../tools/catalogue';
import type { FigureSettings } from '../tools/tool-module';
import type { PlanProblem } from '../workflow/error-names';
import { allowedAt, allowedWordsAt, isNumberAt, keyRefusal, valueAt, type PlanPath } from './allowed-values';
import { asMeant } from './as-meant';
import {
  benchmarkPlan,
  expectation,
  pairFieldsPlan,
  pairPlan,
  type BenchmarkPlan,
  type PairFields,
  type PairPlan,
} from './schema';
import { inUnitOf } from '../text/units';

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
    nearest: typeof value === 'string' ? nearestValue(submitted, path, value) : undefined,
  };
}

/** Returns the number that a text such as "30 min" means where a number is allowed, or else the most similar word. */
function nearestValue(submitted: unknown, path: PlanPath, text: string): string | number | undefined {
  if (!isNumberAt(submitted, path)) return nearestWord(text, allowedWordsAt(submitted, path));
  const number = inUnitOf(String(path.at(-1)), text);
  return typeof number === 'number' ? number : undefined;
}

function entriesOf(submitted: unknown, key: 'pairs' | 'measurements' | 'expect'): readonly unknown[] {
  const entries = valueAt(submitted, [key]);
  // The schema rejects longer lists anyway, so checking the first thousand entries is enough.
  return Array.isArray(entries) ? (entries as unknown[]).slice(0, 1000) : [];
}
