/**
 * The identity of a measurement: what two measurements must have in common to be repetitions of each other. Queries
 * group by it, and the report and the comparison of runs find with it what was measured in the same way.
 */
import { snakeCase } from '../text/format';
import { CONDITIONS, type PairConditions } from './conditions';
import { settingColumns, wordsOf } from './setting';
import { SETTINGS, settingsInWords, type MeasurementSettings } from './settings';

/** The instance types and the tool: what a measurement is of, besides its conditions and settings. */
const SUBJECTS = ['clientType', 'serverType', 'tool'] as const;
export type CellFacts = Readonly<Record<(typeof SUBJECTS)[number], string>> &
  PairConditions &
  MeasurementSettings & {
    /** `MeasurementResult.isDisplaced`: between other zones than its repetitions, and so none of them. */
    readonly isDisplaced?: boolean;
  };
/** A name that two measurements can differ in. */
export type CellFactName = keyof CellFacts;

type Facts = Readonly<Record<string, unknown>>;
const CELL_COLUMNS = [
  ...SUBJECTS.map((name) => ({ column: snakeCase(name), value: (facts: Facts) => facts[name] as string | undefined })),
  ...settingColumns(CONDITIONS),
  ...settingColumns(SETTINGS),
  { column: 'is_displaced', value: ({ isDisplaced }: Facts) => (isDisplaced === true ? true : undefined) },
];

/**
 * The identity as one value: `client_type=c5.xlarge server_type=c5.9xlarge tool=… zone_relation=same_zone … `. Each
 * part ends in a space, so that a query can take one part out (`regexp_replace(cell, 'parallel_streams=[^ ]* ', '')`).
 * Absent settings are left out, so that a setting which is added later does not change earlier identities.
 *
 * @param without facts that may differ
 */
export function cellOf(facts: CellFacts, without: readonly CellFactName[] = []): string {
  const kept = Object.fromEntries(Object.entries(facts).filter(([name]) => !without.includes(name as CellFactName)));
  return CELL_COLUMNS.flatMap(({ column, value }) => {
    const stored = value(kept);
    return stored === undefined ? [] : `${column}=${encodeURIComponent(String(stored))} `;
  }).join('');
}

/** The identity in words, without the instance types, for a reader of a table: the settings, then the conditions. */
export function cellInWords(facts: CellFacts): string {
  const conditions = [...wordsOf(CONDITIONS, { ...facts }), displacedWord(facts)];
  return `${facts.tool}: ${settingsInWords(facts)}; ${conditions.filter(Boolean).join(', ')}`;
}

/** What tells a displaced measurement from the others in a list of conditions. */
export function displacedWord({ isDisplaced }: Pick<CellFacts, 'isDisplaced'>): 'displaced' | undefined {
  return isDisplaced === true ? 'displaced' : undefined;
}
