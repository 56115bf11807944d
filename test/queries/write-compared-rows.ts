/**
 * Writes rows of a made-up run that compares paths, placements and streams, in whole: `tsx write-compared-rows.ts
 * FOLDER DAY`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { measurementRow } from '../../domain/tables/columns';
import { measurementRowKey } from '../../domain/workflow/object-keys';
import { addressMatrix, loadedResult, numbered, placementMatrix, transferLadder } from '../support/compared-results';
import { steadyResult } from '../support/measurement-results';

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

for (const result of [
  ...addressMatrix(),
  ...placementMatrix(),
  ...numbered(transferLadder(), 501),
  loadedResult(),
  unthrottled,
]) {
  const file = join(folder, measurementRowKey(day, RUN_ID, result.measurementId));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(measurementRow({ ...result, runId: RUN_ID }))}\n`);
}
