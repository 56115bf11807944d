/** Tables that become a list of cards on a phone: every cell knows its heading. */
import { NOT_MEASURED } from './format';
import type { Html, HtmlValue } from './html';
import { html } from './html';

export interface ReportColumn<Row> {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** Undefined shows that nothing was measured. */
  readonly cell: (row: Row) => HtmlValue;
}

/** Columns in which no row has a value are left out. */
export function reportTable<Row>(
  columns: readonly ReportColumn<Row>[],
  rows: readonly Row[],
  { stacksOnPhones = true } = {},
): Html {
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => column.cell(row)) }))
    .filter(({ cells }) => cells.some((cell) => !isEmpty(cell)));
  const className = (column: { readonly isNumber?: boolean }, isBlank = false) =>
    [column.isNumber && 'number', isBlank && 'empty'].filter(Boolean).join(' ');
  return html`<div class="scroll">
    <table class="${stacksOnPhones && 'stacks'}">
      <thead>
        <tr>
          ${filled.map((column) => html`<th scope="col" class="${className(column)}">${column.heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (_, index) =>
            html`<tr>
              ${filled.map((column) => {
                const cell = column.cells[index];
                return html`<td class="${className(column, isEmpty(cell))}" data-label="${column.heading}">
                  <div>${isEmpty(cell) ? NOT_MEASURED : cell}</div>
                </td>`;
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function isEmpty(value: HtmlValue): boolean {
  return value === undefined || value === null || value === false || value === '';
}
