/** A report without its own script and the data of its charts, which are the only scripts that it may have. */
import { REPORT_SCRIPT } from '../../domain/report/interactive/report-script';

export function markupOf(page: string): string {
  // Data never has `<`, so nothing that a value smuggled in is taken out here.
  return page
    .replace(`<script>${REPORT_SCRIPT}</script>`, '')
    .replace(/<script type="application\/json">[^<]*<\/script>/g, '');
}
