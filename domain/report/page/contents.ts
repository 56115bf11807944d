/** The report's contents: a link to each section and to each measurement. */
import { groupBy } from '../../maths/elements';
import type { MeasurementResult } from '../../model/result';
import { counted } from '../../text/format';
import { html, type Html } from './html';
import { pairOfTypes } from '../../run/words';

export interface Section {
  /** Unique within the page, and what links to the section name. */
  readonly id: string;
  readonly title: string;
  /** What stands below the heading. */
  readonly html: Html;
}

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
