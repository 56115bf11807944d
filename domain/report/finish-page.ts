/**
 * What is done to the page as a whole: ids of measurements become links to their cards, figures stay whole, and
 * indentation goes.
 */
import type { MeasurementResult } from '../model/result';
import { ID_PATTERN_TEXTS } from '../workflow/identifiers';
import { trusted, type Html } from './page/html';
import { keepUnits } from './page/units';

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

/** A tag without the attributes that say nothing. */
const shortened = (tag: string) => tag.replace(/ class=""/g, '').replace(/ >$/, '>');
