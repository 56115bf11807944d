/** Describes the values allowed at a place of a plan, from the schema: zod's issues name only the violated bound. */
import * as z from 'zod';
import { benchmarkPlan } from './schema';
import { formInWords, strayCharactersInWords } from './text-forms';

/** The part of JSON Schema that the plan's schema uses. */
interface SchemaNode {
  readonly type?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** For an object with free keys: the schema of its keys; `additionalProperties` is the schema of its values. */
  readonly propertyNames?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly oneOf?: readonly SchemaNode[];
}

export type PlanPath = readonly PropertyKey[];

export function planJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(benchmarkPlan, { io: 'input' });
}

const ROOT = planJsonSchema() as SchemaNode;

export function allowedAt(plan: unknown, path: PlanPath): string {
  const [node, value] = [nodeAt(plan, path), valueAt(plan, path)];
  const stray =
    node?.pattern !== undefined && typeof value === 'string' ? strayCharactersInWords(node.pattern, value) : '';
  return `${describe(node)}${stray}`;
}

/** The allowed keys are listed only if none of them resembles the unknown key. */
export function unknownKeyRefusal(allowedKeys: readonly string[], nearest: string | undefined): string {
  const all =
    nearest === undefined && allowedKeys.length > 0 ? ` (the allowed keys are ${allowedKeys.join(', ')})` : '';
  return `left out, because no such key is allowed here${all}`;
}

/** Says why a key of an object with free keys is refused. */
export function keyRefusal(plan: unknown, path: PlanPath): string {
  return `because each key must be ${describe(nodeAt(plan, path)?.propertyNames)}`;
}

/** Returns the words allowed at this place if it is an enum, otherwise none. */
export function allowedWordsAt(plan: unknown, path: PlanPath): readonly string[] {
  return wordsOf(nodeAt(plan, path)).map(String);
}

interface PlanObject {
  /** Its path, with * for each index. */
  readonly template: readonly string[];
  readonly keys: readonly string[];
  /** The tool, for an object of a measurement. */
  readonly variant?: string;
}

/** The objects that a plan may have, except expectations, whose keys are figures and no settings. */
export const PLAN_OBJECTS: readonly PlanObject[] = objectsOf(ROOT);

function objectsOf(node: SchemaNode, template: readonly string[] = [], variant?: string): PlanObject[] {
  if (node.oneOf !== undefined) {
    const discriminator = discriminatorOf(node.oneOf) ?? '';
    return node.oneOf.flatMap((each) => objectsOf(each, template, String(each.properties?.[discriminator]?.const)));
  }
  if (node.items !== undefined) return objectsOf(node.items, [...template, '*'], variant);
  if (node.properties === undefined) return [];
  const inner = Object.entries(node.properties).filter(([key]) => key !== 'expect');
  return [
    { template, keys: Object.keys(node.properties), variant },
    ...inner.flatMap(([key, each]) => objectsOf(each, [...template, key], variant)),
  ];
}

export function isNumberAt(plan: unknown, path: PlanPath): boolean {
  return ['number', 'integer'].includes(nodeAt(plan, path)?.type ?? '');
}

const wordsOf = (node: SchemaNode | undefined) => node?.enum ?? (node?.const === undefined ? [] : [node.const]);

export function allowedKeysAt(plan: unknown, path: PlanPath): string[] {
  return Object.keys(nodeAt(plan, path)?.properties ?? {});
}

export function valueAt(plan: unknown, path: PlanPath): unknown {
  let value = plan;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function nodeAt(plan: unknown, path: PlanPath): SchemaNode | undefined {
  let node: SchemaNode | undefined = ROOT;
  for (const [depth, key] of path.entries()) {
    if (node?.oneOf !== undefined) node = chosenVariant(node.oneOf, valueAt(plan, path.slice(0, depth)), key);
    node = typeof key === 'number' ? node?.items : (node?.properties?.[String(key)] ?? entryNode(node, String(key)));
  }
  return node?.oneOf === undefined ? node : (chosenVariant(node.oneOf, valueAt(plan, path)) ?? node);
}

function entryNode(node: SchemaNode | undefined, key: string): SchemaNode | undefined {
  if (typeof node?.additionalProperties !== 'object') return undefined;
  return new RegExp(node.propertyNames?.pattern ?? '').test(key) ? node.additionalProperties : undefined;
}

/** Returns the variant that the value's discriminator selects; for the discriminator, allows all of its values. */
function chosenVariant(variants: readonly SchemaNode[], value: unknown, key?: PropertyKey): SchemaNode | undefined {
  const discriminator = discriminatorOf(variants);
  if (discriminator === undefined) return undefined;
  const constants = variants.map((variant) => variant.properties?.[discriminator]?.const);
  if (key === discriminator) return { properties: { [discriminator]: { enum: constants } } };
  return variants[constants.indexOf(valueAt(value, [discriminator]))];
}

function discriminatorOf(variants: readonly SchemaNode[]): string | undefined {
  const [first] = variants;
  return Object.entries(first?.properties ?? {}).find(([, property]) => property.const !== undefined)?.[0];
}

function describe(node: SchemaNode | undefined): string {
  if (node === undefined) return 'left out';
  const words = wordsOf(node).map(String);
  if (words.length > 0) return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`;
  if (node.type === 'integer') return `a whole number from ${node.minimum} to ${node.maximum}`;
  if (node.type === 'number') {
    return node.exclusiveMinimum === undefined
      ? `a number from ${node.minimum} to ${node.maximum}`
      : `a number above ${node.exclusiveMinimum} and at most ${node.maximum}`;
  }
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'array') return `a list of ${node.minItems} to ${node.maxItems} entries`;
  if (node.type === 'string') return node.pattern === undefined ? 'text' : formInWords(node.pattern);
  if (typeof node.additionalProperties === 'object') {
    const values = describe(node.additionalProperties);
    return `an object in which each key is ${describe(node.propertyNames)}, and each value ${values}`;
  }
  // The other keys depend on the discriminator.
  if (node.oneOf !== undefined) return `an object with ${discriminatorOf(node.oneOf)}`;
  const keys = Object.keys(node.properties ?? {}).filter((key) => key !== '$schema');
  const hasDefaults = Object.values(node.properties ?? {}).some((property) => property.default !== undefined);
  const defaults = (node.required ?? []).length === 0 && hasDefaults ? '{} for the defaults, or ' : '';
  // A short object that has to be whole is described with its values.
  const isWhole = keys.length <= 2 && keys.every((key) => node.required?.includes(key));
  const inWords = keys.map((key) => (isWhole ? `${key} (${describe(node.properties?.[key])})` : key));
  return `${defaults}an object with ${inWords.join(', ')}`;
}
