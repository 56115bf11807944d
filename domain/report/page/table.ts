/** Renders sections, tables and lists of figures. On a phone each row of a table becomes a card with labelled cells. */
import { NOT_MEASURED } from '../../text/format';
import { html, isEmpty, keepUnits, type Html, type HtmlValue } from './html';

export interface Section {
  /** Unique within the page; links to the section use it. */
  readonly id: string;
  readonly title: string;
  /** The number of its rows or cards, for the contents. */
  readonly count?: number;
  /** The content below the heading. */
  readonly html: Html;
}

export interface ReportColumn<Row> {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** Keeps the column wide, because its text would otherwise break after every word. */
  readonly isRoomy?: boolean;
  /** The sort key, where it is not the number or the text at the start of the cell. */
  readonly order?: (row: Row) => number | undefined;
  /** Undefined is shown as a dash, for "not measured". */
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
  /** Groups successive rows with the same value below a title. */
  readonly groups?: { readonly by: (row: Row) => unknown; readonly title: (row: Row) => HtmlValue };
}

/** A longer table scrolls in its own box, so that readers find the content after it; print shows all rows. */
const ROWS_WITHOUT_BOX = 24;

/**
 * Renders a table without its empty columns.
 * @param label the text for screen readers of a long table's box
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
  // Groups can't be sorted, because their titles would be separated from their rows.
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

/** Returns the attribute that the page's script sorts by, with Infinity replaced by a finite number. */
function orderOf<Row>({ order }: ReportColumn<Row>, row: Row): Html | undefined {
  const value = order?.(row);
  return value === undefined ? undefined : html`data-sort="${Math.min(value, Number.MAX_VALUE)}"`;
}

/** Keeps `Gbit/s` on one line, which Firefox breaks after the slash. Headings may still break between words. */
function wholeUnits(heading: string): HtmlValue {
  return heading
    .split(' ')
    .map(
      (word, index) =>
        html`${index > 0 && ' '}${word.includes('/') ? html`<span class="nowrap">${word}</span>` : word}`,
    );
}

export interface TableSection<Row> extends Omit<Section, 'html' | 'count'>, TableOptions<Row> {
  readonly lead: HtmlValue;
  /** The facts that all rows share, in words. */
  readonly shared?: string;
  readonly aboveTable?: HtmlValue;
  /** The text for screen readers. @default the title */
  readonly label?: string;
  readonly columns: readonly ReportColumn<Row>[];
  readonly rows: readonly Row[];
  readonly note?: HtmlValue;
  readonly belowTable?: HtmlValue;
}

/** Renders a section with one table and its introduction; undefined if the table has no rows. */
export function tableSection<Row>(section: TableSection<Row>): Section | undefined {
  const { id, title, lead, shared, aboveTable, label = title, columns, rows, note, belowTable } = section;
  if (rows.length === 0) return undefined;
  return {
    id,
    title,
    count: rows.length,
    html: html`<p class="lead">${lead}</p>
      ${inAllRows(shared)} ${aboveTable}
      <div class="card">${reportTable(label, columns, rows, section)} ${note && html`<p class="sub">${note}</p>`}</div>
      ${belowTable}`,
  };
}

const inAllRows = (shared = '') => shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`;

/** Renders a part of a section with its own heading, an explanation and its content. */
export const card = (title: string, body: HtmlValue, sub?: HtmlValue) =>
  html`<div class="card">
    <h3>${title}</h3>
    ${sub && html`<p class="sub">${sub}</p>`} ${body}
  </div>`;

/** Renders names with their values; facts without a value are left out. */
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
