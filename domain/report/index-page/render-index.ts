/** `index.html`: one page over all runs of a store, which loads nothing, for screens, phones and print. */
import { counted, instant } from '../../text/format';
import { CONTENT_POLICY } from '../content-policy';
import { contents, sectionHtml } from '../contents';
import { finishPage } from '../finish-page';
import { html, trusted } from '../html';
import { REPORT_SCRIPT } from '../interactive/report-script';
import { STYLE } from '../style';
import { atlasSection } from './atlas';
import type { IndexInput } from './index-input';
import { runsSection } from './runs';

export function renderIndex(input: IndexInput): string {
  const { history, bucketName, renewedAt } = input;
  const sections = [atlasSection(input), runsSection(input)].filter((section) => section !== undefined);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}" />
        <title>All runs in ${bucketName}</title>
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        <header class="page">
          <p class="product">EC2 Network Bench</p>
          <h1>All runs</h1>
          <p class="lead">
            ${counted(history.runs.length, 'run')} in the bucket ${bucketName}. The page is renewed whenever a run ends,
            last on ${instant(renewedAt)}.
          </p>
        </header>
        <main>${contents(sections, [])} ${sections.map(sectionHtml)}</main>
        <footer>EC2 Network Bench</footer>
        ${trusted(`<script>${REPORT_SCRIPT}</script>`)}
      </body>
    </html> `;
  return finishPage(page, []).text;
}
