/** A column of `measurements`, which takes its value from a result. */
import type { MeasurementResult } from '../model/result';
import { column, type ColumnOf, type ColumnType } from './column';

export type MeasurementColumn = ColumnOf<MeasurementResult>;

export function resultColumn(
  name: string,
  type: ColumnType,
  comment: string,
  value: (result: MeasurementResult) => unknown,
): MeasurementColumn {
  return column(name, type, comment, value);
}
