/** How sure a verdict is, from what its witnesses say. */
import type { SeriesShape } from '../detection/series-shape';
import type { VerdictKind, Witness } from '../model/verdict';

const HIGHEST_CONFIDENCE = 0.99;
const SHORT_CONFIDENCE = 0.6;
/** What agreement leaves of the doubt, where it is not a half: these follow from other witnesses, or prove little. */
const WEAK_WITNESSES: Readonly<Record<string, number>> = { peer_bucket: 1, retransmits: 0.9 };
/** What contradiction leaves of the confidence. */
const CONTRADICTED = 2 / 3;
const TRUNCATED = 0.9;

/** Agreement halves the doubt that is left, contradiction takes away a third of the confidence. */
export function fuseConfidence(
  shape: SeriesShape,
  kind: VerdictKind,
  witnesses: readonly Witness[],
  isTruncated: boolean,
): number {
  // That a series is too short is certain; what the published figures make of it is not.
  let confidence =
    shape.seriesClass === 'insufficient' && kind !== 'insufficient' ? SHORT_CONFIDENCE : shape.confidence;
  const heard = witnesses.filter((witness) => witness.name !== 'series' && witness.agrees !== null);
  // Doubt first, so that a contradiction costs the same wherever it stands in the list.
  for (const { name } of heard.filter(({ agrees }) => agrees)) {
    confidence = 1 - (1 - confidence) * (WEAK_WITNESSES[name] ?? 0.5);
  }
  confidence *= CONTRADICTED ** heard.filter(({ agrees }) => agrees === false).length;
  if (isTruncated) confidence *= TRUNCATED;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
