/** Rows of Parquet objects in one piece, where a test needs no more than a few. */
import type { Row } from '../../domain/tables/column';
import { decodeParquet, ParquetObject, type ParquetColumns } from '../../lambdas/result-store/parquet';

export function encodedRows(columns: ParquetColumns, rows: readonly Row[]): Uint8Array {
  const object = new ParquetObject(columns);
  for (const row of rows) object.add(row);
  return object.finish();
}

export async function decodedRows(columns: ParquetColumns, body: Uint8Array): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of decodeParquet(columns, body)) rows.push(row);
  return rows;
}
