/** The page around the report and around the list of all runs: one HTML file that loads nothing. */
import { groupBy } from '../../maths/elements';
import type { MeasurementResult } from '../../model/result';
import { pairOfTypes } from '../../run/words';
import { counted } from '../../text/format';
import { html, keepUnits, trusted, type Html } from './html';
import { LANDSCAPE, STYLE } from './style';
import { scaledModelInWords, type ScaledModel } from '../../model/scaled-model';
import { ID_PATTERN_TEXTS } from '../../workflow/identifiers';
import type { Section } from './table';

/** The only script that a browser may run in the page. */
export interface PageScript {
  readonly text: string;
  /** For the content policy: the algorithm and the hash of exactly this text. */
  readonly hash: string;
}

export interface Page {
  readonly title: string;
  readonly header: Html;
  readonly main: Html;
  readonly footer: string;
  /** Printed on sheets that are wider than high. @default false */
  readonly isLandscape?: boolean;
  /** The measurements whose ids become links to their cards. */
  readonly results: readonly Pick<MeasurementResult, 'measurementId'>[];
  readonly script: PageScript;
}

/** For screens, phones and print. Its script adds values, zoom and sorting; everything can be read without it. */
export function renderPage({ title, header, main, footer, results, script, isLandscape = false }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(script)}" />
        <title>${title}</title>
        <style>
          ${trusted(STYLE)}${isLandscape && trusted(LANDSCAPE)}
        </style>
      </head>
      <body>
        ${header}
        <main>${main}</main>
        <footer>${footer}</footer>
        ${trusted(`<script>${script.text}</script>`)}
      </body>
    </html> `;
  return finishPage(page, results).text;
}

/**
 * The browser enforces that the page loads nothing and runs nothing but our own script, even if a value ever got past the
 * escaping.
 */
const contentPolicy = ({ hash }: PageScript) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '${hash}'`;

/** A link to each section and to each measurement. */
export function contents(sections: readonly Section[], results: readonly MeasurementResult[]): Html {
  // Ids become links in the whole page at once; here, too.
  const byTypes = groupBy(results, pairOfTypes);
  return html`<nav class="contents" aria-label="Contents">
    <ul>
      ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    ${
      results.length > 0 &&
      html`<details class="screen">
        <summary>${counted(results.length, 'measurement')}</summary>
        <dl>
          ${[...byTypes].map(
            ([types, same]) =>
              html`<dt>${types}</dt>
                <dd>${same.map(({ measurementId }, index) => html`${index > 0 && ' '}${measurementId}`)}</dd>`,
          )}
        </dl>
      </details>`
    }
  </nav>`;
}

/** A section as it stands in the page. */
export function sectionHtml({ id, title, html: body }: Section): Html {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${body}
  </section>`;
}

/** @returns undefined where everything was measured on EC2 itself */
export function scaledModelNote(models: readonly ScaledModel[]): Html | undefined {
  const sentences = new Set(models.map(scaledModelInWords));
  if (sentences.size === 0) return undefined;
  return html`<div class="alert warn">
    <h2>Not measured on EC2 itself</h2>
    ${[...sentences].map(
      (sentence) => html`<p>${sentence}. Prices are those of EC2, so that figures per dollar are at its scale.</p>`,
    )}
  </div>`;
}

/**
 * Tags, and the elements whose text isn't for a reader or is copied as it is. Text never has `<`, and an attribute never
 * has `>`, because both are escaped.
 */
const TAG = /<(?:style|script|title|pre|code)\b[^<>]*>[\s\S]*?<\/(?:style|script|title|pre|code)>|<[^<>]*>/g;
const MEASUREMENT_ID = new RegExp(`\\b${ID_PATTERN_TEXTS.measurementId}\\b`, 'g');

/**
 * Links are set in the finished page rather than by each section, because ids also stand in texts that no section takes
 * apart, such as the reason of a failure or a witness. The indentation of the templates goes, because it is
 * a quarter of a large page.
 *
 * @param results the measurements of this run; an id of another run stays text
 */
export function finishPage(page: Html, results: readonly Pick<MeasurementResult, 'measurementId'>[]): Html {
  const ids = new Set(results.map(({ measurementId }) => measurementId));
  const anchors = new Set([...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const linked = (text: string) =>
    text.replace(MEASUREMENT_ID, (id) => (ids.has(id) && anchors.has(id) ? `<a href="#${id}">${id}</a>` : id));
  const pieces: string[] = [];
  let end = 0;
  let isTextOnly = false;
  const add = (raw: string) => {
    // Only what the templates are laid out with: `\s` would take the spaces that keep a figure whole, too.
    const text = keepUnits(raw.replace(/[ \n]+/g, ' '));
    pieces.push(isTextOnly ? text : linked(text));
  };
  for (const { 0: tag, index } of page.text.matchAll(TAG)) {
    add(page.text.slice(end, index));
    pieces.push(/^<(?:style|script|title|pre|code)\b/.test(tag) ? tag : shortened(tag));
    // To a screen reader a chart is an image and a summary is a button; neither has links.
    if (/^<(?:a|svg|summary)\b/.test(tag)) isTextOnly = true;
    else if (/^<\/(?:a|svg|summary)>/.test(tag)) isTextOnly = false;
    end = index + tag.length;
  }
  add(page.text.slice(end));
  return trusted(pieces.join(''));
}

/** A tag without the attributes that say nothing, and without what it is laid out with. */
const shortened = (tag: string) =>
  `${tag
    .replace(/ class=""/g, '')
    .replace(/\s+/g, ' ')
    .slice(0, -1)
    .trimEnd()}>`;
