/** Sorting by a click on a heading, by sortable-tablesort, which knows the order of plain numbers and of texts. */
import 'sortable-tablesort/dist/sortable.min.js';

export function prepareTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('table.sortable')) {
    for (const heading of table.querySelectorAll<HTMLElement>('thead th')) {
      heading.tabIndex = 0;
      heading.title = 'Sort by this column';
      heading.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') heading.click();
      });
    }
    // The library listens at the document, so this is done before it sorts for the first time.
    table.tHead?.addEventListener(
      'click',
      () => {
        setSortValues(table);
      },
      { once: true },
    );
  }
}

/**
 * A cell shows `2 170`, or `9.69` above an interval; the library needs the number alone, unless the cell says what it is
 * sorted by. An empty text is last in both directions: nothing was measured.
 */
function setSortValues(table: HTMLTableElement): void {
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('td.empty')) cell.dataset.sort = '';
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('td.number:not([data-sort])')) {
    const shown = cell.firstElementChild?.firstChild?.textContent ?? cell.textContent;
    const number = Number.parseFloat(shown.replace(/[\s\u2009\u202f]/g, '').replace(/^[^\d-]+/, ''));
    cell.dataset.sort = Number.isNaN(number) ? '' : String(number);
  }
}
