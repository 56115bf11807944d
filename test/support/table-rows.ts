/** Writes rows into a folder as the store has them after a run was folded: under the keys of the tables' objects. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { groupBy } from '../../domain/maths/group-by';
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
import { measurementRowsKey, samplesKey } from '../../domain/workflow/object-keys';

/** A measurement with its samples. */
export interface Measured {
  readonly result: MeasurementResult;
  readonly samples?: readonly Sample[];
  /** What the end of the run adds to the row, like `ending`. */
  readonly cost?: MeasurementCost;
  readonly ending?: RunEnding;
}

/** Writes the objects of a folded run. */
export function writeFoldedRun(write: RowWriter, day: string, runId: string, measured: readonly Measured[]): void {
  write(
    measurementRowsKey(day, runId),
    measured.map(({ result, cost, ending }) => ({
      ...measurementRow({ ...result, runId }),
      ...(cost && measurementCostRow(cost)),
      ...(ending && runEndingRow(ending)),
    })),
  );
  const samples = measured.flatMap(({ result: { measurementId }, samples: ofResult = [] }) =>
    ofResult.map((sample) => ({ sample, identity: { runId, measurementId } })),
  );
  for (const [metric, ofMetric] of groupBy(samples, ({ sample }) => sample.metric)) {
    write(
      samplesKey(metric, day, runId, 0),
      ofMetric.map(({ sample, identity }) => sampleRow(sample, identity)),
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
