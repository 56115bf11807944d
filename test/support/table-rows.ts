/** Writes rows into a folder as the store has them after a run was folded: under the keys of the tables' objects. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { groupBy, zip } from '../../domain/maths/elements';
import type { MeasurementCost } from '../../domain/model/cost';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import {
  measurementCostRow,
  measurementRow,
  runEndingRow,
  sampleRow,
  type Row,
  type RunEnding,
} from '../../domain/tables/columns';
import { measurementRowsKey, measurementSamplesKey, samplesKey } from '../../domain/workflow/object-keys';

/** A measurement with its samples. */
export interface Measured {
  readonly result: MeasurementResult;
  readonly samples?: readonly Sample[];
  /** What the end of the run adds to the row, like `ending`. */
  readonly cost?: MeasurementCost;
  readonly ending?: RunEnding;
}

/** Writes the objects of a folded run, and the samples of each of its measurements. */
export function writeFoldedRun(write: RowWriter, day: string, runId: string, measured: readonly Measured[]): void {
  write(
    measurementRowsKey(day, runId),
    measured.map(({ result, cost, ending }) => ({
      ...measurementRow({ ...result, runId }),
      ...(cost && measurementCostRow(cost)),
      ...(ending && runEndingRow(ending)),
    })),
  );
  const sampled = measured.flatMap(({ result: { measurementId }, samples = [] }) => {
    if (samples.length === 0) return [];
    const rows = samples.map((sample) => sampleRow(sample, { runId, measurementId }));
    write(measurementSamplesKey(runId, measurementId), rows);
    return zip(samples, rows).map(([{ metric }, row]) => ({ metric, row }));
  });
  for (const [metric, ofMetric] of groupBy(sampled, (each) => each.metric)) {
    write(
      samplesKey(metric, day, runId, 0),
      ofMetric.map(({ row }) => row),
    );
  }
}

export type RowWriter = (key: string, rows: readonly Row[]) => void;

/** @param compressed false drops the `.gz` of the keys */
export function rowWriter(folder: string, { compressed }: { readonly compressed: boolean }): RowWriter {
  return (key, rows) => {
    const file = join(folder, compressed ? key : key.replace(/\.gz$/, ''));
    mkdirSync(dirname(file), { recursive: true });
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    writeFileSync(file, file.endsWith('.gz') ? new Uint8Array(gzipSync(text)) : text);
  };
}
