/** A small line of a figure over the newest runs, with a mark where it changed. It needs no script. */
import { largest, smallest } from '../../maths/statistics';
import type { FigureLine } from '../../history/type-atlas';
import { counted } from '../../text/format';
import { html, type Html } from '../page/html';

const WIDTH = 120;
const HEIGHT = 28;
const MARGIN = 2;
/** A line that moves by less than this share is drawn nearly level, so that noise doesn't look like a change. */
const LEAST_SHARE = 0.1;

export function sparkline({ figure, points, change }: FigureLine): Html {
  const values = points.map(({ value }) => value);
  const [low, high] = [smallest(values), largest(values)];
  const [middle, half] = [(low + high) / 2, Math.max(high - low, LEAST_SHARE * high) / 2];
  const x = (index: number) => MARGIN + (index / (points.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) => HEIGHT / 2 - ((value - middle) / half) * (HEIGHT / 2 - MARGIN);
  const line = values.map((value, index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
  const changedAt = points.findIndex(({ runId }) => runId === change?.firstRunId);
  // The mark is before the first run at the new level; a change before the first run of the line has none.
  const mark = changedAt > 0 && html`<path class="change" d="M${x(changedAt - 0.5).toFixed(1)} 0V${HEIGHT}" />`;
  const { name, unit, format } = figure;
  const label =
    `${name} in the last ${counted(points.length, 'run')}: ${format(low)} to ${format(high)} ${unit}` +
    (changedAt > 0 && change ? `; ${change.name} changed ${change.at.slice(0, 10)}` : '');
  return html`<svg
    class="spark"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    width="${WIDTH}"
    height="${HEIGHT}"
    role="img"
    aria-label="${label}"
  >
    <path d="M${line}" />
    ${mark}
  </svg>`;
}
