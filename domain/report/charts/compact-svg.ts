/** Shrinks the SVG of a chart without a visible change. */

export function compactSvg(svg: string): string {
  const short = svg
    .replace(/ (?:xmlns(?::xlink)?|version|baseProfile)="[^"]*"/g, '')
    .replace(/font-size:12px;font-family:[^;"]*;/g, '')
    .replace(/ (?:style=""|dominant-baseline="central")/g, '')
    .replace(/><\/(?:path|rect|polygon|polyline|circle)>/g, '/>')
    .replace(/>\n+</g, '><')
    // This is the transparent background.
    .replace(/<rect [^<>]*fill="none"\/>/, '')
    .replace(/ d="([^"]*)"/g, (_, path: string) => ` d="${compactPath(path)}"`)
    .replace(/(<path[^<>]*) fill="none"/g, '$1')
    // The ends of axis lines, which are a pixel wide, look the same without round caps.
    .replace(/ stroke-linecap="round"/g, '')
    // A straight line has no area to fill.
    .replace(/(<path d="M[^"a-zA-Z]*[hv][^"a-zA-Z]*") fill="#000"(?: fill-opacity="[^"]*")?/g, '$1');
  return joinedPaths(compactTexts(short));
}

/** Joins adjacent paths with the same attributes, such as grid lines, into one path. */
function joinedPaths(svg: string): string {
  return svg.replace(/(?:<path d="[^"]*"(?: stroke[^<>]*)?\/>){2,}/g, (paths) => {
    const all = [...paths.matchAll(/ d="([^"]*)"([^<>]*)\/>/g)].map(([, path = '', look = '']) => ({ path, look }));
    return all
      .map(({ path, look }, index) => {
        const [begin, end] = [all[index - 1]?.look === look, all[index + 1]?.look === look];
        return `${begin ? '' : '<path d="'}${path}${end ? '' : `"${look}/>`}`;
      })
      .join('');
  });
}

const POINT = /([ML])(-?[\d.]+)[ ,](-?[\d.]+)/g;
/** Matches paths of straight lines only, as in a series. */
const IS_STRAIGHT = /^(?:[ML]-?[\d.]+[ ,]-?[\d.]+ ?)+Z?$/;
/** Coordinates are rounded to tenths of a pixel, which is less than the width of a line. */
const TENTHS = 10;

/** After a vertical jump of more than this, a point is rounded to a whole pixel, because the error is invisible. */
const JUMP = 8 * TENTHS;

/** Writes points relative to the rounded previous point, so that rounding errors do not add up. */
function compactPath(path: string): string {
  if (!IS_STRAIGHT.test(path)) return path;
  let [fromX, fromY] = [0, 0];
  const commands: string[] = [];
  let level: { readonly sign: number; readonly tenths: number } | undefined;
  for (const [, command, xText, yText] of path.matchAll(POINT)) {
    const x = Math.round(Number(xText) * TENTHS);
    const exact = Math.round(Number(yText) * TENTHS);
    const isJump = command === 'L' && x !== fromX && Math.abs(exact - fromY) > JUMP;
    const y = isJump ? Math.round(exact / TENTHS) * TENTHS : exact;
    if (command === 'M') commands.push(`M${tenths(x)}${separated(tenths(y))}`);
    else if (x === fromX && y === fromY) continue;
    else if (y === fromY) {
      // Horizontal steps in the same direction are merged.
      const before = level?.sign === Math.sign(x - fromX) ? level.tenths : 0;
      if (before !== 0) commands.pop();
      level = { sign: Math.sign(x - fromX), tenths: before + x - fromX };
      commands.push(`h${tenths(level.tenths)}`);
      [fromX, fromY] = [x, y];
      continue;
    } else if (x === fromX) commands.push(`v${tenths(y - fromY)}`);
    else commands.push(`l${tenths(x - fromX)}${separated(tenths(y - fromY))}`);
    level = undefined;
    [fromX, fromY] = [x, y];
  }
  return commands.join('') + (path.endsWith('Z') ? 'z' : '');
}

/** Formats tenths without a leading zero: `.5`. */
const tenths = (value: number) => String(value / TENTHS).replace(/^(-?)0\./, '$1.');

/** Adds a space before a number, unless its minus sign separates it already. */
const separated = (text: string) => (text.startsWith('-') ? text : ` ${text}`);

const TEXT = /<text([^<>]*)>([^<]*)<\/text>/g;
const TEXTS = /(?:<text[^<>]*>[^<]*<\/text>)+/g;
const MOVED = / transform="translate\((-?[\d.]+)[ ,](-?[\d.]+)\)"/;
/** ECharts repeats these attributes for every outlined text; a class of the style sheet replaces them. */
const OUTLINE = / stroke="var\(--card\)" stroke-width="3" paint-order="stroke" stroke-miterlimit="2"/;
const OUTLINED = ' class="outlined"';

/** Matches the labels of an axis: several texts that share only their anchor. */
const SAME_ANCHOR =
  /(?:<text x="[^"]*" y="[^"]*"( text-anchor="[a-z]+")>[^<]*<\/text>)(?:<text x="[^"]*" y="[^"]*"\1>[^<]*<\/text>)+/g;

const grouped = (texts: string, anchor: string) => `<g${anchor}>${texts.replaceAll(anchor, '')}</g>`;

interface Text {
  readonly x: number;
  readonly y: number;
  /** Pieces of one text have the same origin. */
  readonly origin: string | undefined;
  /** The attributes without position and origin. */
  readonly attributes: string;
  readonly content: string;
}

/**
 * Joins the pieces of texts with several styles. ECharts positions each piece by the estimated width of the previous
 * one, so that pieces overlap in another font; as `tspan`s they follow each other in any font.
 */
function compactTexts(svg: string): string {
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
