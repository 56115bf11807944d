/** Boxes beside the runs: the two that are ticked are compared above the table. */
import { tickedComparison, type ComparableRuns } from '../../domain/report/index-page/ticked-runs';

export function prepareTicks(): void {
  const result = document.querySelector<HTMLElement>('.ticked');
  const output = result?.querySelector('output');
  const card = result?.querySelector<HTMLElement>('.card');
  if (!result || !output || !card) return;
  for (const hidden of document.querySelectorAll<HTMLElement>('.ticked, .tick')) hidden.hidden = false;
  const runs = JSON.parse(result.querySelector('script')?.textContent ?? '') as ComparableRuns;
  let ticked: HTMLInputElement[] = [];
  document.querySelector('#runs table')?.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    ticked = ticked.filter((box) => box !== target);
    if (target.checked) ticked.push(target);
    if (ticked.length > 2) ticked.splice(0, 1).forEach((oldest) => (oldest.checked = false));
    const { sentence, table } = tickedComparison(
      runs,
      ticked.map(({ value }) => value),
    );
    // Both are markup of this page's own templates, in which every value is escaped.
    output.innerHTML = sentence;
    card.innerHTML = table;
    card.hidden = table === '';
    if (table !== '') result.scrollIntoView({ block: 'nearest' });
  });
}
