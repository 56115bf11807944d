/**
 * How one setting or condition of a measurement is declared: its values, its columns in Athena and the words a reader
 * sees. `settings.ts` and `conditions.ts` are the two tables; everything that needs a list of settings reads it from
 * there.
 */
import type * as z from 'zod';

/** A column of `measurements` that stores a setting, or one part of it. */
export interface SettingColumn<Value> {
  /** snake_case, with the unit at the end. */
  readonly column: string;
  readonly type: 'string' | 'bigint' | 'boolean';
  /** What the column means, for the Glue table and the documentation. */
  readonly comment: string;
  readonly value: (value: Value) => string | number | boolean;
}

/** A table of settings by their names in a plan. */
export type SettingTable = Readonly<Record<string, SettingDefinition>>;

export interface SettingDefinition {
  /** The values that it can take; a tool's plan narrows them to its own limits and adds the default. */
  readonly schema: z.ZodType;
  readonly columns: readonly SettingColumn<never>[];
  /** The setting in words; undefined where a value goes without saying. */
  readonly words: (value: never) => string | undefined;
}

/** The values of all settings of a table. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly schema: z.ZodType<infer Value> }
    ? Readonly<Value>
    : never;
};

/** A setting that one column stores as it is. */
export function setting<Schema extends z.ZodType<string | number | boolean>>(
  schema: Schema,
  column: Omit<SettingColumn<z.infer<Schema>>, 'value'>,
  words: (value: z.infer<Schema>) => string | undefined,
) {
  return { schema, columns: [{ ...column, value: (value: z.infer<Schema>) => value }], words };
}

/** One stored part of a setting: the column's name and what it stores. */
export type StoredPart = readonly [column: string, value: string | number | boolean];

/**
 * The columns that store the given values, each with what it stores, in the table's order. An absent value has none.
 */
export function storedParts(table: SettingTable, values: Readonly<Record<string, unknown>>): StoredPart[] {
  return Object.entries(table).flatMap(([name, definition]) => {
    const value = values[name];
    if (value === undefined || value === null) return [];
    return definition.columns.map(({ column, value: part }): StoredPart => [column, part(value as never)]);
  });
}

/** The words of the given values, in the table's order. */
export function wordsOf(table: SettingTable, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(table).flatMap(([name, { words }]) => {
    const value = values[name];
    return value === undefined || value === null ? [] : (words(value as never) ?? []);
  });
}
