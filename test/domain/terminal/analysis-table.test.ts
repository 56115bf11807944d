import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { analyseOutputs, type AnalysedOutput } from '../../../domain/analysis/analyse-output';
import { analysisTables } from '../../../domain/terminal/analysis-table';
import { readFixture } from '../../support/fixtures';
import { steadyResult, steadyVerdict, throttledVerdict } from '../../support/measurement-results';

/** iperf3 through a real token bucket of 30 Gbit with a burst of 2 Gbit/s and a baseline of 500 Mbit/s. */
const recorded = readFileSync(join(__dirname, '../../fixtures/real-buckets/t02-burst-2g-500m.iperf3.json'), 'utf8');

function analysed(verdict: AnalysedOutput['verdict']): AnalysedOutput {
  return { ...analyseOutputs(recorded)[0], verdict };
}

describe('the tables of an analysis', () => {
  test('say how long a rate can be held, and how long the credits take to refill', () => {
    const text = analysisTables([{ file: 'run.json', analysed: analyseOutputs(recorded)[0] }]);
    expect(text).toContain('run.json: if the cause is network credits, how long can a rate be held?');
    expect(text).toMatch(/^1\.0 Gbit\/s +60\.1 s +5\d\.\d s to 6\d\.\d s$/m);
    expect(text).toMatch(
      /Empty credits are full again after 61\.1 s idle \(37\.\d s to 6\d\.\d s\), or 2 min 2 s at half/,
    );
    expect(text).toContain('assumes that the credits were full at the start');
    expect(text).toContain('by up to 13 %, and idle credits that come back at up to 1.64 times the baseline rate');
  });

  test.each([undefined, 100, 64])('say how long the burst lasts, in a terminal of %p columns', (width) => {
    const [output] = analyseOutputs(recorded);
    const [headings, , row] = analysisTables([{ file: 'run.json', analysed: output }], width).split('\n');
    expect(headings).toMatch(/ verdict +burst lasts.* +burst Gbit\/s +baseline/);
    expect(row).toMatch(/ drop, not_known +20\.9 .* 1\.95 +0\.496/);
  });

  test('give lower bounds where no drop was seen', () => {
    const verdict = {
      ...steadyVerdict,
      holdTimes: [{ bitsPerSecond: 2e9, seconds: null, atLeastSeconds: 90 }],
      refillSecondsAtLeast: 270,
    };
    const text = analysisTables([{ file: 'run.json', analysed: analysed(verdict) }]);
    expect(text).toMatch(/^2\.0 Gbit\/s +at least 90\.0 s +-$/m);
    expect(text).toContain(
      'Nothing shows beyond doubt that the credits ran out, so they last at least this long. Earning back what was spent takes at least 4 min 30 s idle.',
    );
  });

  test('have no table of hold times where the model has no answer', () => {
    const text = analysisTables([{ file: 'run.json', analysed: analysed(steadyResult().verdict) }]);
    expect(text).not.toContain('how long can a rate be held');
  });

  test.each([
    ['ping/20221126-lossy.out', '36', '4'],
    ['ping/20221126-100.out', '100', '0'],
    ['sockperf/3.7-pp-full.out', '\\d+', '0'],
  ])('count the round trips of %s, and what was lost', (name, observations, lost) => {
    const [output] = analyseOutputs(readFixture(`tool-output/${name}`));
    const [headings, , row] = analysisTables([{ file: 'run.out', analysed: output }]).split('\n');
    expect(headings).toMatch(/ observations +lost$/);
    expect(row).toMatch(new RegExp(` ${observations} +${lost}$`));
  });

  test('keep the losses in a narrow terminal', () => {
    const [output] = analyseOutputs(readFixture('tool-output/ping/20221126-lossy.out'));
    const [headings, , row] = analysisTables([{ file: 'run.out', analysed: output }], 40).split('\n');
    expect(headings).not.toContain('observations');
    expect([headings, row]).toEqual([expect.stringMatching(/ lost/), expect.stringMatching(/ 4\b/)]);
  });

  test('have an open interval where there is no upper bound', () => {
    const unbounded = {
      bitsPerSecond: 4e9,
      seconds: { value: 181.2, low: 179.8, high: Infinity },
      atLeastSeconds: null,
    };
    const verdict = { ...throttledVerdict, holdTimes: [unbounded] };
    expect(analysisTables([{ file: 'run.json', analysed: analysed(verdict) }])).toContain('3 min or more');
  });
});
