/** Tables and lists of figures. On a phone each row of a table becomes a card whose cells show their headings. */
import { NOT_MEASURED } from '../../text/format';
import { html, isEmpty, trusted, type Html, type HtmlValue } from './html';
import { keepUnits } from './units';

export interface ReportColumn<Row> {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** The column is kept wide, because its text would otherwise break after every word. */
  readonly isRoomy?: boolean;
  /** What the cell is sorted by, where it is not the number or the text that it begins with. */
  readonly order?: (row: Row) => number | undefined;
  /** Undefined is shown as a dash: nothing was measured. */
  readonly cell: (row: Row) => HtmlValue;
}

export interface TableOptions<Row> {
  /** @default true */
  readonly stacksOnPhones?: boolean;
  /** Successive rows of the same value are a group, which has a title. */
  readonly groups?: { readonly by: (row: Row) => unknown; readonly title: (row: Row) => HtmlValue };
}

/** A longer table scrolls in a box of its own, so that a reader finds what follows it; printed, it is whole. */
const ROWS_WITHOUT_BOX = 24;

/**
 * A table without the columns in which no row has a value.
 * @param label what a screen reader calls the box of a long table
 */
export function reportTable<Row>(
  label: string,
  columns: readonly ReportColumn<Row>[],
  rows: readonly Row[],
  { stacksOnPhones = true, groups }: TableOptions<Row> = {},
): Html {
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => column.cell(row)) }))
    .filter(({ cells }) => cells.some((cell) => !isEmpty(cell)));
  const className = (column: Pick<ReportColumn<Row>, 'isNumber' | 'isRoomy'>, isBlank = false) =>
    [column.isNumber && 'number', column.isRoomy && 'roomy', isBlank && 'empty'].filter(Boolean).join(' ');
  // A group's title would lose its rows, and a single row has no order.
  const isSortable = groups === undefined && rows.length > 1;
  const table = html`<table
    class="${[stacksOnPhones && 'stacks', isSortable && 'sortable n-last'].filter(Boolean).join(' ')}"
  >
    <thead>
      <tr>
        ${filled.map((column) => html`<th scope="col" class="${className(column)}">${wholeUnits(column.heading)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map((row, index) => {
        const previous = rows[index - 1];
        const isInGroup = previous !== undefined && groups?.by(previous) === groups?.by(row);
        const title = isInGroup ? undefined : groups?.title(row);
        return html`${
            !isEmpty(title) &&
            html`<tr class="group">
              <th colspan="${filled.length}" scope="rowgroup">${title}</th>
            </tr>`
          }
          <tr>
            ${filled.map((column) => {
              const cell = column.cells[index];
              const attributes = [
                stacksOnPhones ? `data-label="${html`${keepUnits(column.heading)}`.text}"` : undefined,
                isSortable ? orderOf(column, row) : undefined,
              ].filter((attribute) => attribute !== undefined);
              return html`<td class="${className(column, isEmpty(cell))}" ${trusted(attributes.join(' '))}>
                <div>${isEmpty(cell) ? NOT_MEASURED : cell}</div>
              </td>`;
            })}
          </tr> `;
      })}
    </tbody>
  </table>`;
  return rows.length > ROWS_WITHOUT_BOX
    ? html`<div class="scroll tall" tabindex="0" role="region" aria-label="${label}">${table}</div>`
    : html`<div class="scroll" tabindex="0">${table}</div>`;
}

/** The attribute that the script of the page sorts by; it has no infinity. */
function orderOf<Row>({ order }: ReportColumn<Row>, row: Row): string | undefined {
  const value = order?.(row);
  return value === undefined ? undefined : `data-sort="${Math.min(value, Number.MAX_VALUE)}"`;
}

/** Names with their values, without those that have no value. */
export function factList(
  facts: readonly (readonly [name: string, value: HtmlValue])[],
  className: 'facts' | 'facts figures' = 'facts',
): Html {
  return html`<dl class="${className}">
    ${facts.map(
      ([name, value]) =>
        !isEmpty(value) &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * The words of a heading, of which none is broken: Firefox breaks `Gbit/s` behind its stroke. A column may be narrower
 * than a rate with its unit, so these may stand one above the other.
 */
function wholeUnits(heading: string): HtmlValue {
  return heading
    .split(' ')
    .map(
      (word, index) =>
        html`${index > 0 && ' '}${word.includes('/') ? html`<span class="nowrap">${word}</span>` : word}`,
    );
}
