/** What a page of the report shows, as tests read it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pageScript } from '../../lambdas/shared/page-script';

/** Built from its sources, as every deployment does. */
const built = (page: string) =>
  execFileSync('bash', [join(__dirname, '../../browser/report/build.sh'), page], { encoding: 'utf8' });
export const PAGE_SCRIPT = pageScript('report-script.js', built('report'));
export const INDEX_SCRIPT = pageScript('index-script.js', built('index'));

/** A report without its own script and the data of its charts, which are the only scripts that it may have. */
export function markupOf(page: string): string {
  // Data never has `<`, so nothing that a value smuggled in is taken out here.
  return page
    .replace(`<script>${PAGE_SCRIPT.text}</script>`, '')
    .replace(`<script>${INDEX_SCRIPT.text}</script>`, '')
    .replace(/<script type="application\/json">[^<]*<\/script>/g, '');
}

/** The words of a page, or of a part of it, as a reader sees them. */
export function textOf(markup = ''): string {
  return markupOf(markup)
    .replace(/<style>[^]*?<\/style>|<\/?a\b[^>]*>|<wbr \/>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The markup of a section; empty where the page has none of this id. */
export function sectionOf(page: string, id: string): string {
  return new RegExp(`<section id="${id}".*?</section>`, 's').exec(page)?.[0] ?? '';
}

/**
 * The rows of all tables, each as a line, with the headings first: cells are separated by `|`, what stands below a figure
 * by `/`, and a badge is `[tone: words]`. The title of a group is a line that begins with `#`.
 */
export function rowsOf(markup: string): string[] {
  return [...markupOf(markup).matchAll(/<tr( class="group")?>(.*?)<\/tr>/gs)].map(([, group, row = '']) => {
    const cells = [...row.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]\s*>/gs)].map(([, cell = '']) =>
      textOf(
        cell
          .replace(
            /<span class="badge ?(\w*)">(.*?)<\/span\s*>/gs,
            (_, tone: string, words: string) => `[${tone}: ${words}] `,
          )
          .replace(/<small\b[^>]*>/g, ' / '),
      ),
    );
    return `${group === undefined ? '' : '# '}${cells.join(' | ')}`;
  });
}
