/** How long `analyse --series` takes for each series, as the bundle that users run: code from a loader is slower. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ascending } from '../domain/maths/quantiles';
import { quantileOfSorted } from '../domain/maths/statistics';
import type { LabelledSeries } from '../test/support/prediction';

/** Milliseconds at the median and at the 95th percentile. */
export function detectorTimes(series: readonly LabelledSeries[]): string {
  const sorted = ascending(millisecondsOf(series.map((one) => JSON.stringify(one))));
  const [median, p95] = [0.5, 0.95].map((p) => quantileOfSorted(sorted, p).toFixed(2));
  return `${sorted.length} series: ${median} ms at the median, ${p95} ms at the 95th percentile`;
}

function millisecondsOf(lines: readonly string[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'bench-detector-'));
  try {
    const file = join(folder, 'series.jsonl');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const run = spawnSync('bash', [join(__dirname, 'analyse.sh'), '--series', file], options);
    if (run.status !== 0) throw new Error(`analyse --series: must succeed, got exit code ${run.status}: ${run.stderr}`);
    const predictions = run.stdout.trimEnd().split('\n');
    return predictions.map((line) => (JSON.parse(line) as { ms: number }).ms);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
