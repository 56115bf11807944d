/** Makes the SVG of a chart small without changing what is seen of it. */

export function compactSvg(svg: string): string {
  const short = svg
    .replace(/ (?:xmlns(?::xlink)?|version|baseProfile)="[^"]*"/g, '')
    .replace(/font-size:12px;font-family:[^;"]*;/g, '')
    .replace(/ (?:style=""|dominant-baseline="central")/g, '')
    .replace(/><\/(?:path|rect|polygon|polyline|circle)>/g, '/>')
    .replace(/>\n+</g, '><')
    // The background, which has no colour.
    .replace(/<rect [^<>]*fill="none"\/>/, '')
    .replace(/ d="([^"]*)"/g, (_, path: string) => ` d="${compactPath(path)}"`)
    .replace(/(<path[^<>]*) fill="none"/g, '$1')
    // Nobody sees how the lines of an axis, a pixel wide, end.
    .replace(/ stroke-linecap="round"/g, '')
    // A straight line has nothing to fill.
    .replace(/(<path d="M[^"a-zA-Z]*[hv][^"a-zA-Z]*") fill="#000"(?: fill-opacity="[^"]*")?/g, '$1');
  return joinedPaths(compactTexts(short));
}

/** Paths that follow each other and look alike, such as the lines of a grid, are one path. */
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
/** Only straight lines, which is what a series is drawn of. */
const IS_STRAIGHT = /^(?:[ML]-?[\d.]+[ ,]-?[\d.]+ ?)+Z?$/;
/** A tenth of a pixel is less than a line's width shows. */
const TENTHS = 10;

/** A point that stands further from the one before is placed to a whole pixel: nobody sees half of one in a jump. */
const JUMP = 8 * TENTHS;

/**
 * Points relative to the one before, in tenths of a pixel. Each step is from the rounded point before it, so that
 * rounding never adds up.
 */
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
      // Steps in the same direction are one.
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

/** `0.5` is `.5` in a path. */
const tenths = (value: number) => String(value / TENTHS).replace(/^(-?)0\./, '$1.');

/** The minus sign separates two numbers by itself. */
const separated = (text: string) => (text.startsWith('-') ? text : ` ${text}`);

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
