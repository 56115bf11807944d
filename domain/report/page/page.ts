/** The page around the report and around the list of all runs: one HTML file that loads nothing. */
import type { MeasurementResult } from '../../model/result';
import { CONTENT_POLICY } from '../content-policy';
import { finishPage } from '../finish-page';
import { html, trusted, type Html } from './html';
import { REPORT_SCRIPT } from '../interactive/report-script';
import { LANDSCAPE, STYLE } from './style';

export interface Page {
  readonly title: string;
  readonly header: Html;
  readonly main: Html;
  readonly footer: string;
  /** Printed on sheets that are wider than high. @default false */
  readonly isLandscape?: boolean;
  /** The measurements whose ids become links to their cards. */
  readonly results: readonly Pick<MeasurementResult, 'measurementId'>[];
}

/** For screens, phones and print. Its script adds values, zoom and sorting; everything can be read without it. */
export function renderPage({ title, header, main, footer, results, isLandscape = false }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}" />
        <title>${title}</title>
        <style>
          ${trusted(STYLE)}${isLandscape && trusted(LANDSCAPE)}
        </style>
      </head>
      <body>
        ${header}
        <main>${main}</main>
        <footer>${footer}</footer>
        ${trusted(`<script>${REPORT_SCRIPT}</script>`)}
      </body>
    </html> `;
  return finishPage(page, results).text;
}
