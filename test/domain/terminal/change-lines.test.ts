/** What a terminal says of the run that the plan is compared with. */
import { resultToJson } from '../../../domain/model/verdict-json';
import { comparisonText } from '../../../domain/terminal/change-lines';
import { compareRuns, runComparison } from '../../../domain/run/comparison';
import { throttledResult, throttledVerdict } from '../../support/measurement-results';

function summaryWith(factor: number) {
  const results = (times: number) =>
    [1, 2, 3].map((repetition) => {
      const value = 1.25e9 * times * (1 + 0.002 * repetition);
      const pairId = `p000${repetition}`;
      const verdict = { ...throttledVerdict, baseline: { value, low: value, high: value } };
      return throttledResult({ pairId, measurementId: `${pairId}-m01`, repetition, verdict });
    });
  const measurements = results(factor).map((result) => resultToJson({ ...result, reason: null }));
  return { comparedRun: runComparison(compareRuns('lab-1', results(1), results(factor))), measurements, warnings: [] };
}

test('the run is named, and each figure that has changed beyond the noise', () => {
  const [lead, ...changed] = comparisonText(summaryWith(0.8)).split('\n');
  expect(lead).toMatch(/^compared with lab-1: 1 of \d+ figures changed beyond the noise/);
  expect(changed).toEqual([
    expect.stringMatching(
      /^ {2}Baseline of c5\.xlarge to c5\.9xlarge fell by 20 %, from 1\.25 to 1\.00 Gbit\/s\. Measured by/,
    ),
  ]);
  expect(comparisonText(summaryWith(1))).toMatch(
    /^compared with lab-1: 0 of \d+ figures changed beyond the noise[^\n]*$/,
  );
});

test('pairs at several modes are counted', () => {
  const results = (fast: number) =>
    [1, 2, 3, 4, 5, 6, 7].map((repetition) => {
      const value = (repetition <= fast ? 1.25e9 : 0.62e9) * (1 + 0.002 * repetition);
      const pairId = `p000${repetition}`;
      const verdict = { ...throttledVerdict, baseline: { value, low: value, high: value } };
      return throttledResult({ pairId, measurementId: `${pairId}-m01`, repetition, verdict });
    });
  const measurements = results(0).map((result) => resultToJson({ ...result, reason: null }));
  const comparedRun = runComparison(compareRuns('lab-1', results(6), results(0)));
  expect(comparisonText({ comparedRun, measurements, warnings: [] })).toContain(
    '  Baseline of c5.xlarge to c5.9xlarge: 6 of 7 pairs were at 1.26 Gbit/s, now 0 of 7 (all at 0.626). Measured by',
  );
});

test('the lines fit the terminal', () => {
  const lines = comparisonText({ ...summaryWith(0.8), warnings: ['a word '.repeat(30)] }, 60).split('\n');
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
});

test('without a comparison the warnings say why; without either there is nothing', () => {
  const warnings = ['no comparison with the previous run: no earlier complete run of plan nightly'];
  expect(comparisonText({ comparedRun: null, measurements: [], warnings })).toBe(`warning: ${warnings[0]}`);
  expect(comparisonText({ comparedRun: null, measurements: [], warnings: [] })).toBe('');
});
