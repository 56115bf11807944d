/** A chart as it stands in the page: the wide one, and the narrow one that a phone shows instead. */
import type { Html } from '../html';
import { html, trusted } from '../html';
import type { ChartForm } from './svg';

/** @returns undefined where there is nothing to draw */
export function chartPair(draw: (form: ChartForm) => string | undefined): Html | undefined {
  const [wide, narrow] = [draw('wide'), draw('narrow')];
  if (wide === undefined || narrow === undefined) return undefined;
  return html`<div class="chart">
    <div class="wide">${trusted(wide)}</div>
    <div class="narrow">${trusted(narrow)}</div>
  </div>`;
}
