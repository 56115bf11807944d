/** A field that leaves only the rows of the page's tables that have all of its words. Without a script all rows stand. */
export function prepareIndexFilter(): void {
  const form = document.querySelector<HTMLFormElement>('form.filter');
  const field = form?.querySelector('input');
  if (!form || !field) return;
  form.hidden = false;
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('tbody tr:not(.group)')];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
  });
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    rows.forEach((row, index) => (row.hidden = !words.every((word) => texts[index]?.includes(word))));
    const shown = rows.filter(({ hidden }) => !hidden).length;
    const output = form.querySelector('output');
    if (output) output.value = shown === rows.length ? '' : `${shown} of ${rows.length} rows`;
  });
}
