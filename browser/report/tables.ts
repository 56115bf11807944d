/** Makes tables sortable by a click on a heading, with sortable-tablesort, which sorts plain numbers and texts. */
import 'sortable-tablesort/dist/sortable.min.js';

export function prepareTables(part: ParentNode): void {
  for (const table of part.querySelectorAll<HTMLTableElement>('table.sortable')) {
    const headings = [...table.querySelectorAll<HTMLElement>('thead th')];
    headings.forEach((heading, index) => {
      heading.tabIndex = index === 0 ? 0 : -1;
      heading.title = 'Sort by this column. The arrow keys move to the other columns.';
      heading.addEventListener('keydown', ({ key }) => {
        if (key === 'Enter') heading.click();
        const next = headings[index + (key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0)];
        if (!next || next === heading) return;
        heading.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      });
    });
    // The headings make it possible to scroll the box by keyboard; without them it must be a tab stop itself.
    table.parentElement?.removeAttribute('tabindex');
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
