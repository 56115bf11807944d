/** HTML by tagged template. Every value that is not `Html` is escaped, so that no caller can forget it. */
import { printableLines } from '../../text/printable';

export class Html {
  constructor(readonly text: string) {}
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

function escapeHtml(text: string): string {
  return printableLines(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if (value === false || value === null || value === undefined) return '';
  return value.map(render).join('');
}

export const isEmpty = (value: HtmlValue) => render(value) === '';

/** The values of attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Marks text as HTML: the style sheet, the script, and charts, whose texts ECharts has escaped. */
export const trusted = (text: string) => new Html(text);

/**
 * Content that a browser keeps as text until the page's script renders it, so that a large page opens fast. A browser
 * without scripts renders it at once. Must not be nested, because the inner end tag would end the outer element.
 */
export const onDemand = (content: Html) => html`<noscript>${content}</noscript>`;

/** Units that stay on the same line as their number. */
const UNITS = [
  '%',
  '[kM]',
  '[GTM]?bit(?:/s)?',
  'k?packets?/s',
  'packets?',
  '[µm]?s',
  'min',
  'h',
  'USD',
  '[KMG]iB',
  'bytes',
  'samples?',
  'seconds?',
].join('|');
/** Matches the space before a unit, also after an interval: `22.2 (22.1 to 22.4) s`. */
const BEFORE_UNIT = new RegExp(`(?<=\\d\\)?) (?=(?:${UNITS})(?![\\w/]))`, 'g');
/** Matches the second space of `1.25 M packets/s`. */
const BEFORE_PACKETS = /(?<=\d [kM]|\d\u00a0[kM]) (?=packets\/s)/g;

/** Puts a no-break space between each number and its unit. */
export function keepUnits(text: string): string {
  return text.replace(BEFORE_PACKETS, '\u00a0').replace(BEFORE_UNIT, '\u00a0');
}
