/** What a plan expects, as the last lines of its forecast. */
import { EXPECTABLE_FIGURES, expectedLimits, limitInWords, type ExpectationSubject } from '../model/expectation';
import type { BenchmarkPlan } from './schema';

/** Empty without expectations. ASCII only. */
export function expectationsText({ expect, failOn }: Pick<BenchmarkPlan, 'expect' | 'failOn'>): string {
  if (expect === undefined) return '';
  const lines = expectedLimits(expect).map(
    (expected) =>
      `  ${EXPECTABLE_FIGURES[expected.figure].name}${subjectInWords(expected.subject)}: ${limitInWords(expected)}`,
  );
  const lead = failOn === undefined ? 'The plan expects' : 'The plan expects, or else the execution fails';
  return ['', `${lead}:`, ...lines, ''].join('\n');
}

function subjectInWords({ type, pair, measurement }: ExpectationSubject): string {
  const parts = [
    ...(type === undefined ? [] : [type]),
    ...(pair === undefined ? [] : [`pairs[${pair}]`]),
    ...(measurement === undefined ? [] : [`measurements[${measurement}]`]),
  ];
  return parts.length === 0 ? '' : ` of ${parts.join(', ')}`;
}
