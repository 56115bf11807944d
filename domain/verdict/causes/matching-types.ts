/** Which instance types a level fits, where the types of the hosts are not known: evidence, and no proof. */
import type { Interval } from '../../maths/interval';
import { formatRate } from '../../text/format';
import type { ThroughputEvidence } from '../evidence';
import { canHaveCredits, isAtBaseline } from '../published-limits';

const MOST_NAMED = 3;

/**
 * `; 0.75 Gbit/s is the published baseline of c5.large, c5d.large, m5.large and 7 other types`, with the types whose peak
 * is nearest to the burst first; empty where no table was given or none fits.
 */
export function matchingTypes(level: Interval, evidence: ThroughputEvidence): string {
  const fitting = (evidence.publishedTypes ?? []).filter(
    (type) =>
      type.baselineBitsPerSecond !== undefined &&
      canHaveCredits(type) &&
      isAtBaseline(level, type.baselineBitsPerSecond, evidence),
  );
  const [first] = fitting;
  if (!first) return evidence.publishedTypes === undefined ? '' : '; it is the published baseline of no type';
  const named = fitting.slice(0, MOST_NAMED).map(({ instanceType }) => instanceType);
  const others = fitting.length - named.length;
  const types = others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} other types`;
  return `; ${formatRate(first.baselineBitsPerSecond ?? 0)} is the published baseline of ${types}`;
}
