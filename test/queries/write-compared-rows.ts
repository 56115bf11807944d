/**
 * Writes rows of a made-up run that compares paths, placements and streams, in whole: `tsx write-compared-rows.ts
 * FOLDER DAY`.
 */
import { addressMatrix, loadedResult, numbered, placementMatrix, transferLadder } from '../support/compared-results';
import { steadyResult } from '../support/measurement-results';
import { rowWriter, writeFoldedRun } from '../support/table-rows';

const [folder, day] = process.argv.slice(2) as [string, string];
const RUN_ID = 'all-articles-20261121';

const unthrottled = loadedResult({
  measurementId: 'p0603-m01',
  statistics: {
    ...steadyResult().statistics,
    loadedLatency: { before: { rttMicros: { mean: 150, min: 90, p50: 140, max: 900 }, observations: 60 } },
  },
  verdict: steadyResult().verdict,
});

const results = [
  ...addressMatrix(),
  ...placementMatrix(),
  ...numbered(transferLadder(), 501),
  loadedResult(),
  unthrottled,
];
writeFoldedRun(
  rowWriter(folder, { compressed: false }),
  day,
  RUN_ID,
  results.map((result) => ({ result })),
);
