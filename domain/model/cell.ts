/**
 * The identity of a measurement: two measurements with the same identity are repetitions of each other. Queries group
 * by it; the report and the comparison of runs find measurements made in the same way by it.
 */
import { snakeCase } from '../text/format';
import { CONDITIONS, type PairConditions } from './conditions';
import { settingColumns, wordsOf } from './setting';
import { SETTINGS, settingsInWords, type MeasurementSettings } from './settings';

/** The instance types and the tool, which complete the conditions and settings. */
const SUBJECTS = ['clientType', 'serverType', 'tool'] as const;
export type CellFacts = Readonly<Record<(typeof SUBJECTS)[number], string>> &
  PairConditions &
  MeasurementSettings & {
    /** As in `MeasurementResult`: measured between other zones than its repetitions, so that it is not one of them. */
    readonly isDisplaced?: boolean;
  };
export type CellFactName = keyof CellFacts;

type Facts = Readonly<Record<string, unknown>>;
const CELL_COLUMNS = [
  ...SUBJECTS.map((name) => ({ column: snakeCase(name), value: (facts: Facts) => facts[name] as string | undefined })),
  ...settingColumns(CONDITIONS),
  ...settingColumns(SETTINGS),
  { column: 'is_displaced', value: ({ isDisplaced }: Facts) => (isDisplaced === true ? true : undefined) },
];

/** The columns of `measurements` that an identity names, in its order. */
export const CELL_COLUMN_NAMES: readonly string[] = CELL_COLUMNS.map(({ column }) => column);

/**
 * Returns the identity as one value: `client_type=c5.xlarge server_type=c5.9xlarge tool=… zone_relation=same_zone … `.
 * Each part ends in a space, so that a query can remove one (`regexp_replace(cell, 'parallel_streams=[^ ]* ', '')`).
 * Absent settings are left out, so that a setting added later does not change earlier identities.
 * @param without facts that may differ
 */
export function cellOf(facts: CellFacts, without: readonly CellFactName[] = []): string {
  const kept = Object.fromEntries(Object.entries(facts).filter(([name]) => !without.includes(name as CellFactName)));
  return CELL_COLUMNS.flatMap(({ column, value }) => {
    const stored = value(kept);
    return stored === undefined ? [] : `${column}=${encodeURIComponent(String(stored))} `;
  }).join('');
}

/** Returns the identity in words, without the instance types: the settings, then the conditions. */
export function cellInWords(facts: CellFacts): string {
  const conditions = [...wordsOf(CONDITIONS, { ...facts }), displacedWord(facts)];
  return `${facts.tool}: ${settingsInWords(facts)}; ${conditions.filter(Boolean).join(', ')}`;
}

/** The word that marks a displaced measurement in a list of conditions. */
export function displacedWord({ isDisplaced }: Pick<CellFacts, 'isDisplaced'>): 'displaced' | undefined {
  return isDisplaced === true ? 'displaced' : undefined;
}
