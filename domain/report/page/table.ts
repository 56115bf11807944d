/**
 * Sections, their tables and lists of figures. On a phone each row of a table becomes a card whose cells show their
 * headings.
 */
import { NOT_MEASURED } from '../../text/format';
import { html, isEmpty, keepUnits, type Html, type HtmlValue } from './html';

export interface Section {
  /** Unique within the page, and what links to the section name. */
  readonly id: string;
  readonly title: string;
  /** What stands below the heading. */
  readonly html: Html;
}

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

type Cell<Row> = ReportColumn<Row>['cell'];

export const column = <Row>(heading: string, cell: Cell<Row>): ReportColumn<Row> => ({ heading, cell });

export const roomyColumn = <Row>(heading: string, cell: Cell<Row>): ReportColumn<Row> => ({
  heading,
  cell,
  isRoomy: true,
});

export const numberColumn = <Row>(
  heading: string,
  cell: Cell<Row>,
  order?: ReportColumn<Row>['order'],
): ReportColumn<Row> => ({ heading, cell, order, isNumber: true });

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
  const classes = [stacksOnPhones && 'stacks', isSortable && 'sortable n-last'].filter(Boolean).join(' ');
  const table = html`<table class="${classes}">
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
              const label = stacksOnPhones && html`data-label="${keepUnits(column.heading)}"`;
              return html`<td
                class="${className(column, isEmpty(cell))}"
                ${label}
                ${isSortable && orderOf(column, row)}
              >
                <div>${isEmpty(cell) ? NOT_MEASURED : cell}</div>
              </td>`;
            })}
          </tr> `;
      })}
    </tbody>
  </table>`;
  const box = rows.length > ROWS_WITHOUT_BOX && html`role="region" aria-label="${label}"`;
  return html`<div class="${box ? 'scroll tall' : 'scroll'}" tabindex="0" ${box}>${table}</div>`;
}

/** The attribute that the script of the page sorts by; it has no infinity. */
function orderOf<Row>({ order }: ReportColumn<Row>, row: Row): Html | undefined {
  const value = order?.(row);
  return value === undefined ? undefined : html`data-sort="${Math.min(value, Number.MAX_VALUE)}"`;
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

export interface TableSection<Row> extends Omit<Section, 'html'>, TableOptions<Row> {
  readonly lead: HtmlValue;
  /** What all rows have in common, in words. */
  readonly shared?: string;
  readonly aboveTable?: HtmlValue;
  /** What a screen reader calls the table. @default the title */
  readonly label?: string;
  readonly columns: readonly ReportColumn<Row>[];
  readonly rows: readonly Row[];
  readonly note?: HtmlValue;
  readonly belowTable?: HtmlValue;
}

/** A section of one table, with what a reader must know before it; undefined where the table has no row. */
export function tableSection<Row>(section: TableSection<Row>): Section | undefined {
  const { id, title, lead, shared, aboveTable, label = title, columns, rows, note, belowTable } = section;
  if (rows.length === 0) return undefined;
  return {
    id,
    title,
    html: html`<p class="lead">${lead}</p>
      ${inAllRows(shared)} ${aboveTable}
      <div class="card">${reportTable(label, columns, rows, section)} ${note && html`<p class="sub">${note}</p>`}</div>
      ${belowTable}`,
  };
}

const inAllRows = (shared = '') => shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`;

/** A part of a section with a heading of its own, what it shows, and what it has to be read with. */
export const card = (title: string, body: HtmlValue, sub?: HtmlValue) =>
  html`<div class="card">
    <h3>${title}</h3>
    ${sub && html`<p class="sub">${sub}</p>`} ${body}
  </div>`;

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
