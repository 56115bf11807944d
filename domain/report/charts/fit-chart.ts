/** Draws a trace, and beneath it on the same time axis the credits that the closest candidates have left. */
import type { LineSeriesOption } from 'echarts/charts';
import type { FitPicture, Path } from '../../fit/picture';
import type { TypeFit } from '../../fit/type-fit';
import { largest } from '../../maths/statistics';
import type { Html } from '../page/html';
import { axisEnd } from './axis';
import { envelope } from './downsampling';
import { timeChartPair } from './shared-lines';
import { Colour, paletteColour, withoutBraces } from './svg';
import { levelMarks, SHOWN_ABOVE_HIGHEST } from './throughput-marks';
import { renderTimeChart, type Panel } from './time-chart';

const FORMS = {
  wide: { room: { widthPixels: 960, left: 54, right: 16, top: 34, nameGap: 15 }, trace: 160, credits: 110 },
  narrow: { room: { widthPixels: 400, left: 50, right: 14, top: 34, nameGap: 15 }, trace: 130, credits: 100 },
} as const;

const STYLES = {
  trace: { color: Colour.series, type: 'solid', key: '━' },
  holding: { color: paletteColour(2), type: 'solid', key: '━' },
  closest: { color: Colour.secondSeries, type: 'dashed', key: '╍' },
} as const;
const nameKeys = Object.fromEntries(
  Object.entries(STYLES).map(([role, { color }]) => [role, { color, fontWeight: 'bold' as const }]),
);
const roleOf = ({ throttled }: TypeFit) => (throttled === 'never' ? 'holding' : 'closest');

export function fitChart({ lastSeconds, bitsPerSecond, candidates, firstThrottleSeconds }: FitPicture): Html {
  const throttle = firstThrottleSeconds === null ? [] : [markOf({ xAxis: firstThrottleSeconds }, Colour.onset)];
  const highest = SHOWN_ABOVE_HIGHEST * largest(valuesOf(bitsPerSecond));
  const levels = candidates.flatMap(({ fit }) => (fit.baselineBitsPerSecond > highest ? [] : fit));
  const baselines = levels.map((fit) => markOf({ yAxis: fit.baselineBitsPerSecond / 1e9 }, STYLES[roleOf(fit)].color));
  const credits = candidates.filter(({ creditBits }) => creditBits.length > 0);
  const names = credits.map(
    ({ fit }) => `{${roleOf(fit)}|${STYLES[roleOf(fit)].key}} ${withoutBraces(fit.instanceType)}`,
  );
  const keys = levels.map((fit) => `{${roleOf(fit)}|╍} ${withoutBraces(fit.instanceType)}`);
  const tracePanel = {
    name: `Gbit/s: {trace|━} the trace${keys.length > 0 ? `; baselines: ${keys.join(', ')}` : ''}`,
    axis: endOf([...levels.map((fit) => fit.baselineBitsPerSecond), ...valuesOf(bitsPerSecond)]),
    series: [{ ...lineOf(bitsPerSecond, 'trace'), ...levelMarks([...baselines, ...throttle], []) }],
  };
  const creditsPanel = {
    name: `credits left, Gbit: ${names.join(', ')}`,
    axis: endOf(credits.flatMap(({ creditBits }) => valuesOf(creditBits))),
    series: credits.map((each) => ({ ...lineOf(each.creditBits, roleOf(each.fit)), ...levelMarks(throttle, []) })),
  };
  return timeChartPair((form) => {
    const { room, ...heights } = FORMS[form];
    const panels: Panel[] = [{ ...tracePanel, nameKeys, heightPixels: heights.trace }];
    if (credits.length > 0) panels.push({ ...creditsPanel, nameKeys, heightPixels: heights.credits });
    const spec = { id: 'fit', label: 'the trace, and the credits that the candidates have left', legend: [] };
    return renderTimeChart({ ...spec, panels, lastSeconds, since: 'the beginning of the trace', room }, form);
  });
}

const valuesOf = (path: Path) => path.map(([, value]) => value ?? 0);
const endOf = (values: readonly number[]) => axisEnd(largest([0, ...values]) / 1e9);

/** A line in giga; a long one has the extremes of each column. */
function lineOf(path: Path, role: keyof typeof STYLES): LineSeriesOption {
  const data = envelope(path.map(([seconds, value]) => [seconds, value === null ? null : value / 1e9]));
  const { color, type } = STYLES[role];
  return { type: 'line', data, showSymbol: false, lineStyle: { width: 1.5, color, type } };
}

const markOf = (at: { readonly xAxis: number } | { readonly yAxis: number }, color: string) => ({
  ...at,
  lineStyle: { color, width: 1.5, type: [5, 3] },
  label: { show: false },
});
