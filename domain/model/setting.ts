/** Declares a setting or condition: its values, Athena columns and words, as in `settings.ts` and `conditions.ts`. */
import type * as z from 'zod';
import { snakeCase } from '../text/format';

export interface SettingDefinition {
  /** Its possible values; a tool's plan narrows them to its own limits and adds the default. */
  readonly schema: z.ZodType;
  /** The comment of its column, which has the setting's own name; or one column for each whole number in its value. */
  readonly stored: string | Readonly<Record<string, readonly [column: string, comment: string]>>;
  /** Returns the setting in words; undefined if the value need not be mentioned. */
  readonly words: (value: never) => string | undefined;
}

export type SettingTable = Readonly<Record<string, SettingDefinition>>;

export function setting<Schema extends z.ZodType>(
  schema: Schema,
  stored: SettingDefinition['stored'],
  words: (value: z.infer<Schema>) => string | undefined,
) {
  return { schema, stored, words };
}

export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Readonly<z.infer<Table[Name]['schema']>>;
};

type Values = Readonly<Record<string, unknown>>;
type Stored = string | number | boolean | undefined;

/** A column of `measurements` that stores a setting, or one part of it. */
interface SettingColumn {
  /** snake_case, with the unit at the end. */
  readonly column: string;
  readonly type: 'string' | 'bigint' | 'boolean';
  readonly comment: string;
  readonly value: (settings: Values) => Stored;
}

export function settingColumns(table: SettingTable): SettingColumn[] {
  return Object.entries(table).flatMap(([name, { schema, stored }]): SettingColumn[] => {
    if (typeof stored === 'string') {
      const value = (settings: Values) => (settings[name] ?? undefined) as Stored;
      return [{ column: snakeCase(name), type: columnType(schema), comment: stored, value }];
    }
    return Object.entries(stored).map(([part, [column, comment]]) => ({
      column,
      type: 'bigint',
      comment,
      value: (settings) => (settings[name] as Readonly<Record<string, number>> | null | undefined)?.[part],
    }));
  });
}

function columnType({ type }: z.ZodType): SettingColumn['type'] {
  if (type === 'boolean') return 'boolean';
  return type === 'string' || type === 'enum' ? 'string' : 'bigint';
}

export function wordsOf(table: SettingTable, values: Values): string[] {
  return Object.entries(table).flatMap(([name, { words }]) => {
    const value = values[name] ?? undefined;
    return value === undefined ? [] : (words(value as never) ?? []);
  });
}
