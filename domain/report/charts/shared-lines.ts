/**
 * Shares the lines between the two forms of a chart over time, so that a long series is in the page once: the narrow
 * chart refers to the lines of the wide one, and transforms them into its plot. The style sheet keeps their width.
 */
import type { Html } from '../page/html';
import { chartHtml, type ChartForm } from './svg';

/** The area in which a series is drawn, in the units of the chart's view box. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface DrawnChart {
  /** Unique within the page. */
  readonly id: string;
  readonly svg: string;
  /** From top to bottom; both forms have the same plots with the same axis ends. */
  readonly plots: readonly Plot[];
}

/** Returns both forms; the style sheet shows one of them. */
export function timeChartPair(draw: (form: ChartForm) => DrawnChart): Html {
  const { wide, narrow } = sharedLines(unclipped(draw('wide')), unclipped(draw('narrow')));
  return chartHtml(wide, narrow);
}

/** Removes clip paths, because the axes include all values, and lines of width 0, which are upper edges of areas. */
function unclipped(chart: DrawnChart): DrawnChart {
  const svg = chart.svg
    .replace(/<g clip-path="[^"]*">((?:<path[^<>]*\/>)*)<\/g>/g, '$1')
    .replace(/<defs ?>(?:<clipPath[^<>]*>(?:<path[^<>]*\/>)*<\/clipPath>)*<\/defs>/, '')
    .replace(/<path d="[^"]*" stroke="[^"]*" stroke-width="0"[^<>]*\/>/g, '');
  return { ...chart, svg };
}

/** Matches the lines and areas of series; nothing else in a chart has these attributes. */
const SERIES_PATH = /<path d="(M[^"]*)"([^<>]*(?: stroke-linejoin="bevel"| fill-opacity="[^"]*")[^<>]*)\/>/g;
/** Shorter paths are not shared, because a reference takes up to 100 characters itself. */
const SHARED_FROM_CHARACTERS = 250;

function sharedLines(wide: DrawnChart, narrow: DrawnChart): { readonly wide: string; readonly narrow: string } {
  const ownPaths = [...wide.svg.matchAll(SERIES_PATH)];
  const isSame = [...narrow.svg.matchAll(SERIES_PATH)].length === ownPaths.length;
  if (!isSame) throw new Error(`chart ${wide.id}: must have the same lines in both forms`);
  const idOf = (index: number) => `${wide.id}-l${index}`;
  const isShared = (index: number) => (ownPaths[index]?.[1] ?? '').length >= SHARED_FROM_CHARACTERS;
  let [inWide, inNarrow] = [0, 0];
  return {
    wide: wide.svg.replace(SERIES_PATH, (path) => {
      const index = inWide++;
      return isShared(index) ? path.replace(/\/>$/, ` id="${idOf(index)}"/>`) : path;
    }),
    narrow: narrow.svg.replace(SERIES_PATH, (path) => {
      const index = inNarrow++;
      if (!isShared(index)) return path;
      return `<use href="#${idOf(index)}" transform="${moved(ownPaths[index]?.[1] ?? '', wide, narrow)}"/>`;
    }),
  };
}

/** Returns the transform from the plot of the wide chart that has the path to the same plot of the narrow chart. */
function moved(path: string, wide: DrawnChart, narrow: DrawnChart): string {
  const top = Number(/^M-?[\d.]+[ ,]?(-?[\d.]+)/.exec(path)?.[1]);
  const distance = (plot: Plot) => Math.max(plot.top - top, top - plot.top - plot.height, 0);
  const index = wide.plots.reduce(
    (best, plot, each) => (distance(plot) < distance(wide.plots[best] ?? plot) ? each : best),
    0,
  );
  const [from, to] = [wide.plots[index], narrow.plots[index]];
  if (from === undefined || to === undefined) throw new Error(`chart ${wide.id}: must have a plot ${index}`);
  const [x, y] = [to.width / from.width, to.height / from.height];
  const numbers = [x, 0, 0, y, to.left - from.left * x, to.top - from.top * y];
  return `matrix(${numbers.map((number) => Number(number.toFixed(4))).join(' ')})`;
}
