/**
 * Measurements that differ in exactly one setting or condition, drawn at random. The values come from the tables'
 * own schemas, so that a new setting is drawn without a word here.
 */
import * as z from 'zod';
import type { CellFactName, CellFacts } from '../../domain/model/cell';
import { CONDITION_NAMES, CONDITIONS } from '../../domain/model/conditions';
import { SETTING_NAMES, SETTINGS } from '../../domain/model/settings';
import { randomNumbers } from '../../domain/maths/random-order';

const TABLE: Readonly<Record<string, { readonly schema: z.ZodType }>> = { ...CONDITIONS, ...SETTINGS };

const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  clientType: ['c5.xlarge', 'c5.9xlarge', 't2.medium'],
  serverType: ['c5.xlarge', 'm5.large', 'm4.xlarge'],
  tool: ['iperf3', 'sockperf', 's3'],
};

/** Every name that two measurements can differ in. */
const CELL_FACT_NAMES = [...Object.keys(SUBJECTS), ...CONDITION_NAMES, ...SETTING_NAMES] as CellFactName[];

interface ValueSchema {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly ValueSchema[];
  readonly type?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

/** At least two values that the schema takes. */
function valuesOf(schema: ValueSchema): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(valuesOf);
  if (schema.type === 'boolean') return [false, true];
  if (schema.type === 'string') return ['one_way', 'another way', 'a=b path=c'];
  if (schema.type === 'integer') {
    const least = Math.max(schema.minimum ?? 1, 1);
    return [least, least + 1, 10 * least];
  }
  if (schema.properties === undefined) throw new Error(`no values for the schema ${JSON.stringify(schema)}`);
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, valuesOf(part)] as const);
  const first = Object.fromEntries(parts.map(([name, values]) => [name, values[0]]));
  return [first, ...parts.map(([name, values]) => ({ ...first, [name]: values[1] }))];
}

/** All values that a fact is drawn from; every setting but the duration may be absent. */
export function factValues(name: CellFactName): readonly unknown[] {
  const definition = TABLE[name];
  if (definition === undefined) return SUBJECTS[name] ?? [];
  const values = valuesOf(z.toJSONSchema(definition.schema) as ValueSchema);
  return name in SETTINGS && name !== 'durationSeconds' ? [undefined, ...values] : values;
}

export interface DifferingPair {
  /** The only fact in which the two differ. */
  readonly name: CellFactName;
  readonly one: CellFacts;
  readonly other: CellFacts;
}

/** For every fact `pairsPerFact` pairs, each around a measurement of its own. */
export function differingPairs(seed: number, pairsPerFact: number): DifferingPair[] {
  const next = randomNumbers(seed);
  const draw = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  return CELL_FACT_NAMES.flatMap((name) =>
    Array.from({ length: pairsPerFact }, (): DifferingPair => {
      const facts = Object.fromEntries(CELL_FACT_NAMES.map((fact) => [fact, draw(factValues(fact))]));
      const values = factValues(name);
      const at = Math.floor(next() * values.length);
      const step = 1 + Math.floor(next() * (values.length - 1));
      return {
        name,
        one: { ...facts, [name]: values[at] } as unknown as CellFacts,
        other: { ...facts, [name]: values[(at + step) % values.length] } as unknown as CellFacts,
      };
    }),
  );
}
