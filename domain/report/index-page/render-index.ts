/** `index.html`: one page over all runs of a store, which loads nothing, for screens, phones and print. */
import { counted, instant } from '../../text/format';
import { html, trusted } from '../html';
import { STYLE } from '../style';
import type { IndexInput } from './index-input';
import { runsSection } from './runs';

const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function renderIndex(input: IndexInput): string {
  const { history, bucketName, renewedAt } = input;
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
        <main>${runsSection(input)}</main>
        <footer>EC2 Network Bench</footer>
      </body>
    </html> `;
  return page.text;
}
