/** Makes tables sortable by a click on a heading, with sortable-tablesort, which sorts plain numbers and texts. */
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
    // The library listens on the document, so this listener runs before its first sort.
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
 * Sets plain numbers as sort keys, because a cell shows `2 170`, or `9.69` above an interval. Cells without a measured
 * value get an empty key, which is sorted last in both directions.
 */
function setSortValues(table: HTMLTableElement): void {
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('td.empty')) cell.dataset.sort = '';
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('td.number:not([data-sort])')) {
    const shown = cell.firstElementChild?.firstChild?.textContent ?? cell.textContent;
    const number = Number.parseFloat(shown.replace(/[\s\u2009\u202f]/g, '').replace(/^[^\d-]+/, ''));
    cell.dataset.sort = Number.isNaN(number) ? '' : String(number);
  }
}
