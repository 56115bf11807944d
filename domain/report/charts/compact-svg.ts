/** Makes the SVG of a chart small without changing what is seen of it. */

/** What the style sheet says of every text of a chart. */
export const CHART_TEXT_STYLE = `.chart text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.chart text:not([dominant-baseline]) { dominant-baseline: central; }`;

export function compactSvg(svg: string): string {
  return svg
    .replace(/ (?:xmlns(?::xlink)?|version|baseProfile)="[^"]*"/g, '')
    .replace(/font-size:12px;font-family:[^;"]*;/g, '')
    .replace(/ (?:style=""|dominant-baseline="central")/g, '')
    .replace(/><\/(?:path|rect|polygon|polyline|circle)>/g, '/>')
    .replace(/>\n+</g, '><')
    .replace(/ d="([^"]*)"/g, (_, path: string) => ` d="${compactPath(path)}"`);
}

const POINT = /([ML])(-?[\d.]+)[ ,](-?[\d.]+)/g;
/** Only straight lines, which is what a series is drawn of. */
const IS_STRAIGHT = /^(?:[ML]-?[\d.]+[ ,]-?[\d.]+ ?)+Z?$/;
/** A tenth of a pixel is less than a line's width shows. */
const TENTHS = 10;

/**
 * Points relative to the one before, in tenths of a pixel. Each step is from the rounded point before it, so that rounding never adds up.
 */
function compactPath(path: string): string {
  if (!IS_STRAIGHT.test(path)) return path;
  let [fromX, fromY] = [0, 0];
  const commands: string[] = [];
  for (const [, command, xText, yText] of path.matchAll(POINT)) {
    const [x, y] = [Math.round(Number(xText) * TENTHS), Math.round(Number(yText) * TENTHS)];
    if (command === 'M') commands.push(`M${tenths(x)}${separated(tenths(y))}`);
    else if (x === fromX && y === fromY) continue;
    else if (y === fromY) commands.push(`h${tenths(x - fromX)}`);
    else if (x === fromX) commands.push(`v${tenths(y - fromY)}`);
    else commands.push(`l${tenths(x - fromX)}${separated(tenths(y - fromY))}`);
    [fromX, fromY] = [x, y];
  }
  return commands.join('') + (path.endsWith('Z') ? 'z' : '');
}

/** `0.5` is `.5` in a path. */
const tenths = (value: number) => String(value / TENTHS).replace(/^(-?)0\./, '$1.');

/** The minus sign separates two numbers by itself. */
const separated = (text: string) => (text.startsWith('-') ? text : ` ${text}`);
