/**
 * The identity of a measurement: what two measurements must have in common to be repetitions of each other. Queries
 * group by it, and the report and the comparison of runs find with it what was measured in the same way.
 */
import { CONDITION_NAMES, CONDITIONS, type ConditionName, type PairConditions } from './conditions';
import { SETTING_NAMES, SETTINGS, settingsInWords, type MeasurementSettings, type SettingName } from './settings';
import { storedParts, wordsOf } from './setting';

/** The instance types and the tool: what a measurement is of, besides its conditions and settings. */
export interface CellSubject {
  readonly clientType: string;
  readonly serverType: string;
  readonly tool: string;
}
export type CellFacts = CellSubject & PairConditions & MeasurementSettings;
export type CellFactName = keyof CellSubject | ConditionName | SettingName;

/** Every name that two measurements can differ in. */
export const CELL_FACT_NAMES: readonly CellFactName[] = [
  'clientType',
  'serverType',
  'tool',
  ...CONDITION_NAMES,
  ...SETTING_NAMES,
];

/**
 * The identity as one value: `client_type=c5.xlarge server_type=c5.9xlarge tool=… zone_relation=same_zone … `. Each
 * part ends in a space, so that a query can take one part out (`regexp_replace(cell, 'parallel_streams=[^ ]* ', '')`).
 * Absent settings are left out: a setting that a later version adds leaves the identity of earlier measurements as it
 * is.
 *
 * @param without facts that may differ
 */
export function cellOf(facts: CellFacts, without: readonly CellFactName[] = []): string {
  const kept = Object.fromEntries(Object.entries(facts).filter(([name]) => !without.includes(name as CellFactName)));
  const subject = [
    ['client_type', kept.clientType],
    ['server_type', kept.serverType],
    ['tool', kept.tool],
  ].filter(([, value]) => value !== undefined);
  return [...subject, ...storedParts(CONDITIONS, kept), ...storedParts(SETTINGS, kept)]
    .map(([column, value]) => `${String(column)}=${encodeURIComponent(String(value))} `)
    .join('');
}

/** The identity in words, without the instance types, for a reader of a table: the settings, then the conditions. */
export function cellInWords(facts: CellFacts): string {
  return `${facts.tool}: ${settingsInWords(facts)}; ${wordsOf(CONDITIONS, { ...facts }).join(', ')}`;
}
