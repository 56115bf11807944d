/** Renders the page around the report or the list of all runs: one HTML file without external resources. */
import type { MeasurementResult } from '../../model/result';
import { grouped } from '../../text/format';
import { html, keepUnits, onDemand, trusted, type Html } from './html';
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
  /** Whether the page is printed in landscape. @default false */
  readonly isLandscape?: boolean;
  /** The measurements whose ids become links to their cards. */
  readonly results: readonly Pick<MeasurementResult, 'measurementId'>[];
  /** Absent for a page in which nothing runs. */
  readonly script?: PageScript;
}

/** Renders a page for screens, phones and print. Its script adds values, zoom and sorting, but is optional. */
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
        ${script && trusted(`<script>${script.text}</script>`)}
      </body>
    </html> `;
  return finishPage(page, results).text;
}

/** Lets the page load nothing and run only its own script, even if a value was not escaped. */
const contentPolicy = (script: PageScript | undefined) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:${script ? `; script-src '${script.hash}'` : ''}`;

/**
 * Renders a link to each section. If there are measurements, it is in a bar that stays in sight, with a search and filters
 * (by the page's script), and with the choice to print everything.
 */
export function contents(sections: readonly Section[], results: readonly unknown[]): Html {
  const links = html`<ul>
    ${sections.map(
      ({ id, title, count }) =>
        html`<li><a href="#${id}">${title}</a>${count !== undefined && html` <small>${grouped(count)}</small>`}</li>`,
    )}
  </ul>`;
  if (results.length === 0) return html`<nav class="contents" aria-label="Contents">${links}</nav>`;
  return html`<div class="bar screen">
    <nav class="contents" aria-label="Contents">
      <details>
        <summary>Contents <small>${grouped(results.length)}</small></summary>
        <div class="menu">
          ${links}
          <label><input type="checkbox" id="print-all" /> Print everything</label>
        </div>
      </details>
    </nav>
    <form role="search" class="filters" autocomplete="off" hidden>
      <select aria-label="Instance type">
        <option value="">all types</option>
      </select>
      <select aria-label="Verdict">
        <option value="">all verdicts</option>
      </select>
      <input type="search" aria-label="Search" placeholder="Search" />
      <output></output>
    </form>
  </div>`;
}

export function sectionHtml({ id, title, html: body }: Section): Html {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${body}
  </section>`;
}

/** Renders a section of the report that is printed only if the reader asks for everything. */
export function detailedSectionHtml({ id, title, count, html: body }: Section, isFolded: boolean): Html {
  const heading = html`<h2>${title}</h2>`;
  return html`<section id="${id}" class="on-demand">
    ${
      isFolded
        ? html`<details>
            <summary>${heading}${count !== undefined && html` <small>${grouped(count)}</small>`}</summary>
            ${onDemand(body)}
          </details>`
        : [heading, body]
    }
  </section>`;
}

/** @returns undefined if everything was measured on EC2 itself */
export function scaledModelNote(models: readonly ScaledModel[]): Html | undefined {
  const sentences = new Set(models.map(scaledModelInWords));
  if (sentences.size === 0) return undefined;
  return html`<div class="alert warn">
    <h2>Not measured on EC2 itself</h2>
    ${[...sentences].map(
      (sentence) => html`<p>${sentence}. Prices are EC2’s, so figures per dollar are converted to EC2’s scale.</p>`,
    )}
  </div>`;
}

/**
 * Matches tags, and whole elements whose text must not change. Text has no `<` and attributes have no `>`, because both
 * are escaped.
 */
const TAG = /<(?:style|script|title|pre|code)\b[^<>]*>[\s\S]*?<\/(?:style|script|title|pre|code)>|<[^<>]*>/g;
const MEASUREMENT_ID = new RegExp(`\\b${ID_PATTERN_TEXTS.measurementId}\\b`, 'g');

/**
 * Turns the ids of measurements into links, and removes the indentation of the templates, which is a quarter of a large
 * page. This is done for the whole page, because ids also occur within texts such as the reason of a failure.
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
    // Only the white space of the templates is replaced; `\s` would also match no-break spaces.
    const text = keepUnits(raw.replace(/[ \n]+/g, ' '));
    pieces.push(isTextOnly ? text : linked(text));
  };
  for (const { 0: tag, index } of page.text.matchAll(TAG)) {
    add(page.text.slice(end, index));
    pieces.push(/^<(?:style|script|title|pre|code)\b/.test(tag) ? tag : shortened(tag));
    // No links are set within charts and summaries, which are images and buttons for a screen reader.
    if (/^<(?:a|svg|summary)\b/.test(tag)) isTextOnly = true;
    else if (/^<\/(?:a|svg|summary)>/.test(tag)) isTextOnly = false;
    end = index + tag.length;
  }
  add(page.text.slice(end));
  return trusted(pieces.join(''));
}

/** Removes empty classes and superfluous white space from a tag. */
const shortened = (tag: string) =>
  `${tag
    .replace(/ class=""/g, '')
    .replace(/\s+/g, ' ')
    .slice(0, -1)
    .trimEnd()}>`;
