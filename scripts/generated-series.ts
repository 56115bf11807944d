/**
 * Prints the generated sets of docs/reference/detector.md in the form of the real recordings, for `compare-detectors.sh`:
 *   npx tsx scripts/generated-series.ts | gzip > GENERATED.jsonl.gz
 */
import type { LabelledSeries } from '../test/support/prediction';
import { generatedLong, generatedShort } from './detection-sets';

const SETS: Readonly<Record<string, () => readonly LabelledSeries[]>> = {
  'half an hour': () => generatedLong(1),
  'half an hour, noise × 2': () => generatedLong(2),
  'one to three minutes, noise × 2': () => generatedShort(2),
};

for (const [set, series] of Object.entries(SETS)) {
  for (const { id, t, bps, dt, truth } of series()) {
    const { throttled, onset_s: onset } = truth;
    // JSON writes NaN, which is a missing sample, as null.
    console.log(JSON.stringify({ id: `${set} ${id}`, set, t, bps, dt, throttled, onset }));
  }
}
