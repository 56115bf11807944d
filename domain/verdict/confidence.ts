/** How sure a verdict is, from its witnesses. */
import type { SeriesShape } from '../detection/series-shape';
import type { VerdictKind, Witness } from '../model/verdict';

const HIGHEST_CONFIDENCE = 0.99;
/** Of a kind that the published figures give to a series that is too short to judge. */
const SHORT_CONFIDENCE = 0.6;
/** The share of the doubt that agreement leaves, where not a half: these witnesses are derived or prove little. */
const WEAK_WITNESSES: Readonly<Record<string, number>> = { peer_bucket: 1 };
/** The share of the confidence that a contradiction leaves. */
const CONTRADICTED = 2 / 3;
const TRUNCATED = 0.9;

/**
 * Agreement halves the doubt that is left; a contradiction takes a third off the confidence.
 *
 * @returns null for `insufficient`, which claims nothing
 */
export function fuseConfidence(
  shape: SeriesShape,
  kind: VerdictKind,
  witnesses: readonly Witness[],
  isTruncated: boolean,
): number | null {
  if (kind === 'insufficient') return null;
  let confidence = shape.confidence ?? SHORT_CONFIDENCE;
  const heard = witnesses.filter((witness) => witness.name !== 'series' && witness.agrees !== null);
  // Agreement counts first, so that the order of the witnesses makes no difference.
  for (const { name } of heard.filter(({ agrees }) => agrees)) {
    confidence = 1 - (1 - confidence) * (WEAK_WITNESSES[name] ?? 0.5);
  }
  confidence *= CONTRADICTED ** heard.filter(({ agrees }) => agrees === false).length;
  if (isTruncated) confidence *= TRUNCATED;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
