/** Tables that become a list of cards on a phone: every cell knows its heading. */
import { NOT_MEASURED } from '../text/format';
import type { Html, HtmlValue } from './html';
import { html } from './html';

export interface ReportColumn<Row> {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** Text that would be broken into a tower of words. */
  readonly isRoomy?: boolean;
  /** Undefined shows that nothing was measured. */
  readonly cell: (row: Row) => HtmlValue;
}

export interface TableOptions<Row> {
  /** @default true */
  readonly stacksOnPhones?: boolean;
  /** Stands over the row, as the title of the group that begins with it; undefined within a group. */
  readonly groupTitle?: (row: Row, index: number) => HtmlValue;
}

/** Columns in which no row has a value are left out. */
export function reportTable<Row>(
  columns: readonly ReportColumn<Row>[],
  rows: readonly Row[],
  { stacksOnPhones = true, groupTitle }: TableOptions<Row> = {},
): Html {
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => column.cell(row)) }))
    .filter(({ cells }) => cells.some((cell) => !isEmpty(cell)));
  const className = (column: Pick<ReportColumn<Row>, 'isNumber' | 'isRoomy'>, isBlank = false) =>
    [column.isNumber && 'number', column.isRoomy && 'roomy', isBlank && 'empty'].filter(Boolean).join(' ');
  return html`<div class="scroll">
    <table class="${stacksOnPhones && 'stacks'}">
      <thead>
        <tr>
          ${filled.map((column) => html`<th scope="col" class="${className(column)}">${column.heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row, index) => {
          const title = groupTitle?.(row, index);
          return html`${
              !isEmpty(title) &&
              html`<tr class="group">
                <th colspan="${filled.length}" scope="rowgroup">${title}</th>
              </tr>`
            }
            <tr>
              ${filled.map((column) => {
                const cell = column.cells[index];
                return html`<td class="${className(column, isEmpty(cell))}" data-label="${column.heading}">
                  <div>${isEmpty(cell) ? NOT_MEASURED : cell}</div>
                </td>`;
              })}
            </tr> `;
        })}
      </tbody>
    </table>
  </div>`;
}

function isEmpty(value: HtmlValue): boolean {
  return value === undefined || value === null || value === false || value === '';
}

/** Above this a table stands folded: the page's other answers must be found below it. */
const UNFOLDED_ROWS = 24;

/** A table that is folded away when it is long; `title` says what is in it. */
export function foldedTable<Row>(
  title: string,
  columns: readonly ReportColumn<Row>[],
  rows: readonly Row[],
  options?: TableOptions<Row>,
): Html {
  const table = reportTable(columns, rows, options);
  return rows.length <= UNFOLDED_ROWS
    ? table
    : html`<details>
        <summary>${title}</summary>
        ${table}
      </details>`;
}
