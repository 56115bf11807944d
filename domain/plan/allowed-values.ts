/**
 * Describes which values are allowed at a place of a plan. The words come from the schema, because an issue of zod names
 * only the bound that was violated, and a reader wants the whole range.
 */
import * as z from 'zod';
import { TAG_PATTERNS } from '../workflow/user-tags';
import { benchmarkPlan } from './schema';

/** The part of JSON Schema that the plan's schema uses. */
interface SchemaNode {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** Of an object with free keys: the pattern of the keys, and the schema of the values. */
  readonly propertyNames?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly oneOf?: readonly SchemaNode[];
}

type PlanPath = readonly PropertyKey[];

/** The plan's schema as JSON Schema, which `schemas/benchmark-plan.schema.json` contains. */
export function planJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(benchmarkPlan, { io: 'input' });
}

const ROOT = planJsonSchema() as SchemaNode;

export function allowedAt(plan: unknown, path: PlanPath): string {
  return describe(nodeAt(plan, path));
}

/** Why a key of an object with free keys is not allowed. */
export function keyRefusal(plan: unknown, path: PlanPath): string {
  const node = nodeAt(plan, path);
  return isInWords(node?.propertyNames)
    ? `because a key has ${node?.propertyNames?.description}`
    : `in ${describe(node)}`;
}

/** The keys that are allowed for an object at this place. */
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

/** The variant that the value's discriminator selects; for the discriminator itself, all of its values. */
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
  if (node === undefined) return 'absent';
  if (node.enum !== undefined) return `one of ${node.enum.map(String).join(', ')}`;
  if (node.type === 'integer') return `a whole number from ${node.minimum} to ${node.maximum}`;
  if (node.type === 'number') {
    return node.exclusiveMinimum === undefined
      ? `a number from ${node.minimum} to ${node.maximum}`
      : `a number above ${node.exclusiveMinimum} and at most ${node.maximum}`;
  }
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'array') return `a list of ${node.minItems} to ${node.maxItems} entries`;
  if (node.type === 'string') return isInWords(node) ? `${node.description}` : textWords(node);
  if (typeof node.additionalProperties === 'object') {
    const { propertyNames } = node;
    const values = describe(node.additionalProperties);
    return isInWords(propertyNames)
      ? `an object with keys of ${propertyNames?.description}, and values of ${values}`
      : `an object of keys that match ${patternWords(propertyNames)}, each ${values}`;
  }
  // The other keys depend on the discriminator.
  if (node.oneOf !== undefined) return `an object with ${discriminatorOf(node.oneOf)}`;
  const keys = Object.keys(node.properties ?? {}).filter((key) => key !== '$schema');
  return `an object with ${keys.join(', ')}`;
}

const isInWords = (node: SchemaNode | undefined) => TAG_PATTERNS.includes(node?.pattern ?? '');

function textWords(node: SchemaNode): string {
  return node.pattern === undefined ? 'text' : `text that matches ${patternWords(node)}`;
}

function patternWords(node: SchemaNode | undefined): string {
  return `${node?.pattern}${node?.description === undefined ? '' : ` (${node.description})`}`;
}
