import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { analyseOutput } from '../../../domain/analysis/analyse-output';
import type { AnalysedOutput } from '../../../domain/analysis/analyse-output';
import { analysisTables } from '../../../domain/report/analysis-table';
import { steadyResult, throttledResult } from '../../support/measurement-results';

/** iperf3 over a real token bucket of 30 Gbit at 2 Gbit/s, baseline 500 Mbit/s. */
const recorded = readFileSync(join(__dirname, '../../fixtures/real-buckets/t02-burst-2g-500m.iperf3.json'), 'utf8');

function analysed(verdict: AnalysedOutput['verdict']): AnalysedOutput {
  return { ...analyseOutput(recorded), verdict };
}

describe('the tables of an analysis', () => {
  test('say how long a rate can be held, and until when the credits are back', () => {
    const text = analysisTables([{ file: 'run.json', analysed: analyseOutput(recorded) }]);
    expect(text).toContain('run.json: how long can a rate be held?');
    expect(text).toMatch(/^1\.0 Gbit\/s +60\.1 s +5\d\.\d s to 6\d\.\d s$/m);
    expect(text).toMatch(
      /Empty credits are full again after 61\.1 s idle \(5\d\.\d s to 6\d\.\d s\), or 2 min 2 s at half/,
    );
    expect(text).toContain('if the credits were full at the start');
  });

  test('give lower bounds where no drop was seen', () => {
    const verdict = {
      ...steadyResult().verdict!,
      holdTimes: [{ bitsPerSecond: 2e9, seconds: null, atLeastSeconds: 90 }],
      refillSecondsAtLeast: 270,
    };
    const text = analysisTables([{ file: 'run.json', analysed: analysed(verdict) }]);
    expect(text).toMatch(/^2\.0 Gbit\/s +at least 90\.0 s +-$/m);
    expect(text).toContain('No drop was seen, so the credits last at least that long. What was spent takes 4 min 30 s');
  });

  test('have no such table where the model has no answer', () => {
    const text = analysisTables([{ file: 'run.json', analysed: analysed(steadyResult().verdict) }]);
    expect(text).not.toContain('how long can a rate be held');
  });

  test('have an open interval where nothing bounds it', () => {
    const unbounded = {
      bitsPerSecond: 4e9,
      seconds: { value: 181.2, low: 179.8, high: Infinity },
      atLeastSeconds: null,
    };
    const verdict = { ...throttledResult().verdict!, holdTimes: [unbounded] };
    expect(analysisTables([{ file: 'run.json', analysed: analysed(verdict) }])).toContain('3 min or more');
  });
});
