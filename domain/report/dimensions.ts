/**
 * What tells the measurements of a run apart, in words. A chart's rows name only what differs between them; what they all
 * have in common is said once, above.
 */
import { CONDITIONS } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import type { SettingTable } from '../model/setting';
import { wordsOf } from '../model/setting';
import { SETTINGS } from '../model/settings';

/** One word or phrase of a measurement; undefined where it has no such dimension. */
type Dimension = (result: MeasurementResult) => string | undefined;

/** The words of each entry of a table by itself. */
function dimensionsOf(table: SettingTable): Dimension[] {
  return Object.entries(table).map(
    ([name, definition]) =>
      (result) =>
        wordsOf({ [name]: definition }, { ...result })[0],
  );
}

const DIMENSIONS: readonly Dimension[] = [
  ({ clientType, serverType, direction }) =>
    clientType === serverType
      ? clientType
      : direction === 'reverse'
        ? `${clientType} ← ${serverType}`
        : `${clientType} → ${serverType}`,
  ...dimensionsOf(CONDITIONS),
  ({ tool }) => tool,
  ...dimensionsOf(SETTINGS),
];

export interface Distinguished {
  /** One for each result: what it does not share with all others; what it is called when nothing differs. */
  readonly labels: readonly string[];
  /** What all share, in one line. */
  readonly shared: string;
}

/** @param results at least one */
export function distinguish(results: readonly MeasurementResult[]): Distinguished {
  const words = DIMENSIONS.map((dimension) => results.map(dimension));
  const differs = (ofEach: readonly (string | undefined)[]) => new Set(ofEach).size > 1;
  const shared = words.filter((ofEach) => !differs(ofEach)).flatMap((ofEach) => ofEach[0] ?? []);
  const differing = words.filter(differs);
  return {
    labels: results.map(
      (_, index) => differing.flatMap((ofEach) => ofEach[index] ?? []).join(', ') || (words[0]?.[index] ?? ''),
    ),
    shared: shared.join(', '),
  };
}
