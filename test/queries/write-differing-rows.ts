/**
 * Writes rows of measurements that differ from each other in one setting or condition, two repetitions of each: `tsx
 * write-differing-rows.ts FOLDER DAY` makes `measurements.ndjson`. `facts.json` has how many different measurements
 * there are.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellFacts } from '../../domain/model/cell';
import type { MeasurementResult } from '../../domain/model/result';
import { SETTING_NAMES } from '../../domain/model/settings';
import { measurementCostRow, measurementRow } from '../../domain/tables/columns';
import { measurementCost } from '../support/costs';
import { differingPairs } from '../support/differing-measurements';
import { latencyResult, packetResult, published, throttledResult } from '../support/measurement-results';

const [folder, day] = process.argv.slice(2) as [string, string];
const PAIRS_PER_FACT = 8;

// By their own text and not by `cellOf`, which is what is tested.
const different = new Map<string, CellFacts>();
for (const { one, other } of differingPairs(7, PAIRS_PER_FACT)) {
  for (const facts of [one, other]) different.set(JSON.stringify(Object.entries(facts).sort()), facts);
}

const limits = published('c5.xlarge', 1.25e9, 10e9);
const everyFigure = { publishedClient: limits, publishedServer: limits };

let number = 0;
const rows: string[] = [];
function write(result: MeasurementResult): void {
  rows.push(`${JSON.stringify({ ...measurementRow(result), ...measurementCostRow(measurementCost()), day })}\n`);
}

for (const facts of different.values()) {
  const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, facts[name]]));
  for (const repetition of [1, 2]) {
    for (const make of [throttledResult, latencyResult, packetResult]) {
      const measurementId = `p${String((number += 1)).padStart(5, '0')}-m01`;
      write(make({ ...everyFigure, ...facts, ...settings, repetition, measurementId }));
    }
  }
}
writeFileSync(join(folder, 'measurements.ndjson'), rows.join(''));
const withStreams = [...different.values()].filter(({ parallelStreams }) => parallelStreams !== undefined);
const ofOneType = [...different.values()].filter(({ clientType, serverType }) => clientType === serverType);
const byPrivateAddress = [...different.values()].filter(({ path }) => path === 'private');
writeFileSync(
  join(folder, 'facts.json'),
  JSON.stringify({
    different: different.size,
    withStreams: withStreams.length,
    byPrivateAddress: byPrivateAddress.length,
    ofOneType: ofOneType.length,
  }),
);
