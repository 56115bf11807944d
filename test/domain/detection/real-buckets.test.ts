/**
 * iperf3 over real token buckets (research/record-buckets.py): what the whole way from the tool's output to the verdict
 * makes of it, against a truth read from the router's byte counters.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { analyseOutputs } from '../../../domain/analysis/analyse-output';
import { fixturePath, readFixture } from '../../support/fixtures';
import { BENCHMARK_CLASSES } from '../../support/prediction';

interface Truth {
  readonly name: string;
  readonly accept: readonly string[];
  readonly throttled: boolean;
  readonly onsetSeconds?: number;
}

const FOLDER = 'real-buckets';
const ENDING = '.iperf3.json.gz';
const truths = JSON.parse(readFixture(`${FOLDER}/truth.json`)) as readonly Truth[];

test('every recording has a known truth', () => {
  const recorded = readdirSync(fixturePath(FOLDER)).filter((file) => file.endsWith(ENDING));
  expect(recorded.sort()).toEqual(truths.map(({ name }) => `${name}${ENDING}`).sort());
  expect(recorded.length).toBeGreaterThanOrEqual(50);
});

test.each(truths)('$name: verdict and onset', ({ name, accept, throttled, onsetSeconds }) => {
  const packed = new Uint8Array(readFileSync(fixturePath(`${FOLDER}/${name}${ENDING}`)));
  const { complete, verdict } = analyseOutputs(gunzipSync(packed).toString('utf8'))[0];
  expect(complete).toBe(true);
  expect(accept).toContain(BENCHMARK_CLASSES[verdict!.kind]);
  expect(verdict!.onset !== null).toBe(throttled);
  if (throttled) expect(Math.abs(verdict!.onset!.value - onsetSeconds!)).toBeLessThanOrEqual(1.5);
});
