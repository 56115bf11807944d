/** Makes the texts of a chart's SVG small, and lets the pieces of a text follow each other. */

const TEXT = /<text([^<>]*)>([^<]*)<\/text>/g;
const TEXTS = /(?:<text[^<>]*>[^<]*<\/text>)+/g;
const MOVED = / transform="translate\((-?[\d.]+)[ ,](-?[\d.]+)\)"/;
/** ECharts writes these attributes of every text that has an outline; the style sheet has them once. */
const OUTLINE = / stroke="var\(--card\)" stroke-width="3" paint-order="stroke" stroke-miterlimit="2"/;
const OUTLINED = ' class="outlined"';

/** The labels of an axis: several texts that have their anchor in common, and nothing else. */
const SAME_ANCHOR =
  /(?:<text x="[^"]*" y="[^"]*"( text-anchor="[a-z]+")>[^<]*<\/text>)(?:<text x="[^"]*" y="[^"]*"\1>[^<]*<\/text>)+/g;

const grouped = (texts: string, anchor: string) => `<g${anchor}>${texts.replaceAll(anchor, '')}</g>`;

interface Text {
  readonly x: number;
  readonly y: number;
  /** Texts of the same origin are the pieces of one text. */
  readonly origin: string | undefined;
  /** Without place and origin. */
  readonly attributes: string;
  readonly content: string;
}

/**
 * ECharts places each piece of a text in several styles by the width that it guesses for the piece before, so that with
 * another font the pieces cover each other. Here they follow each other, as wide as the reader's font makes them.
 */
export function compactTexts(svg: string): string {
  return svg.replace(TEXTS, (texts) => {
    const pieces = [...texts.matchAll(TEXT)].map(([, attributes = '', content = '']) => readText(attributes, content));
    const all = pieces.map((piece, index) => written(piece, pieces[index - 1], pieces[index + 1])).join('');
    return all.replace(SAME_ANCHOR, grouped);
  });
}

function readText(attributes: string, content: string): Text {
  const moved = MOVED.exec(attributes);
  const own = (axis: 'x' | 'y') => Number(new RegExp(` ${axis}="(-?[\\d.]+)"`).exec(attributes)?.[1] ?? 0);
  const place = (axis: 'x' | 'y', index: 1 | 2) => Number((own(axis) + Number(moved?.[index] ?? 0)).toFixed(1));
  return {
    x: place('x', 1),
    y: place('y', 2),
    origin: attributes.includes(' text-anchor="start"') ? moved?.[0] : undefined,
    attributes: attributes
      .replace(MOVED, '')
      .replace(OUTLINE, OUTLINED)
      .replace(/ [xy]="-?[\d.]+"| text-anchor="start"| xml:space="preserve"| style="font: (?:normal )*12px [^"]*"/g, '')
      .replace(' fill="var(--muted)"', ''),
    content,
  };
}

const continues = (text: Text, previous: Text | undefined) =>
  text.origin !== undefined && text.origin === previous?.origin && text.y === previous.y;

function written(text: Text, previous: Text | undefined, next: Text | undefined): string {
  const end = next !== undefined && continues(next, text) ? '' : '</text>';
  if (!continues(text, previous)) return `<text x="${text.x}" y="${text.y}"${text.attributes}>${text.content}${end}`;
  const fill = / fill="[^"]*"/.test(text.attributes) ? '' : ' fill="var(--muted)"';
  return `<tspan${fill}${text.attributes.replace(OUTLINED, '')}>${text.content}</tspan>${end}`;
}
