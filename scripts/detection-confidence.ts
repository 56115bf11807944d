/**
 * How often the detector is right, by the confidence that it states.
 *   npx tsx scripts/detection-confidence.ts [--real FILE.jsonl.gz]
 * The recordings are those of test/fixtures/real-world unless a file in the same form is given.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { BANDS, calibrate, ofBenchmark, ofRecording, type Labelled, type Recording } from '../test/support/calibration';
import { generatedLong, generatedShort, linesOfFile } from './detection-sets';

const { values } = parseArgs({ options: { real: { type: 'string' } } });
const recordings = values.real ?? join(__dirname, '../test/fixtures/real-world/series.jsonl.gz');
const HARSHNESSES = [1, 1.5, 2];

const sets: Readonly<Record<string, () => readonly Labelled[]>> = {
  generated: () =>
    HARSHNESSES.flatMap((harshness) => [...generatedLong(harshness), ...generatedShort(harshness)]).map(ofBenchmark),
  'real recordings': () => linesOfFile<Recording>(recordings).map(ofRecording),
};

console.log('| confidence | series | said | right |\n| --- | --- | --- | --- |');
for (const [name, labelled] of Object.entries(sets)) {
  const calibrations = calibrate(labelled());
  for (const band of BANDS) {
    const { said = 0, right = 0 } = calibrations.get(band.name) ?? {};
    const share = said === 0 ? '' : (right / said).toFixed(3);
    console.log(`| ${band.name} | ${name} | ${said} | ${right} ${share && `(${share})`} |`);
  }
}
