/** Figures that stay whole in the report: a line never ends between a number and its unit. */

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
/** Also behind the interval of a figure: `22.2 (22.1 to 22.4) s`. */
const BEFORE_UNIT = new RegExp(`(?<=\\d\\)?) (?=(?:${UNITS})(?![\\w/]))`, 'g');
/** `1.25 M packets/s`. */
const BEFORE_PACKETS = /(?<=\d [kM]|\d\u00a0[kM]) (?=packets\/s)/g;

/** The text with a no-break space between each number and its unit. */
export function keepUnits(text: string): string {
  return text.replace(BEFORE_PACKETS, '\u00a0').replace(BEFORE_UNIT, '\u00a0');
}
