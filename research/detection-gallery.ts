/** The series that the pictures of `docs/reference/detector.md` show, and their captions. */
import type { Interval } from '../domain/maths/interval';
import { classifySeries } from '../domain/detection/index';
import { rateIntervals } from '../domain/detection/prediction';
import { BENCHMARK_CLASSES } from '../test/support/prediction';
import { generateSeries } from '../test/support/series-generator';
import type { Picture } from './detection-chart';

export interface Example {
  /** Name of the picture's file. */
  readonly name: string;
  readonly kind: string;
  readonly seed: number;
  readonly harshness?: number;
  readonly span?: readonly [from: number, to: number];
  readonly text: string;
}

export const CLASSES: readonly Example[] = [
  { name: 'steady', kind: 'steady', seed: 7003, text: 'One level until the end.' },
  {
    name: 'drop',
    kind: 'burst',
    seed: 7002,
    text: 'A drop to a lower level that stays: the credits are spent.',
  },
  {
    name: 'drops',
    kind: 'multi_step',
    seed: 7002,
    text: 'Several such drops: two buckets, or two limits, one after the other.',
  },
  {
    name: 'cycle',
    kind: 'periodic',
    seed: 7002,
    text: 'Held back until some credits are back, and spent again: both times repeat.',
  },
  { name: 'ramp', kind: 'ramp', seed: 7003, text: 'A slope instead of a drop: no bucket empties slowly.' },
  { name: 'noisy', kind: 'steady_noisy', seed: 7003, text: 'One level with strong scatter.' },
  { name: 'dips', kind: 'dips', seed: 7002, text: 'One level, left for a few seconds at a time.' },
  {
    name: 'shift',
    kind: 'small_shift',
    seed: 7002,
    text: 'A lasting change that is too small for a throttle, or upwards.',
  },
  { name: 'insufficient', kind: 'insufficient', seed: 7002, text: 'Fewer than 45 samples, and no drop beyond doubt.' },
];

/** Examples of what two of the detector's steps do. */
export const STEPS: readonly Example[] = [
  {
    name: 'levels',
    kind: 'burst_dippy',
    seed: 7001,
    text: 'Step 3: dips are outliers, and the staircase has two stairs.',
  },
  {
    name: 'partial-second',
    kind: 'short_burst',
    seed: 7003,
    span: [64, 80],
    text: 'Step 7: the rate of one second lies between both levels, and shows when within it the rate fell.',
  },
];

export const FAILURES: readonly Example[] = [
  {
    name: 'fall-lost-in-scatter',
    kind: 'burst_hard',
    seed: 7043,
    harshness: 2,
    text: 'Missed, because the scatter is larger than the drop.',
  },
  {
    name: 'fall-misplaced',
    kind: 'burst_hard',
    seed: 7049,
    text: 'A slow wave of the noise right before a drop of a third: onset and interval are at the wave.',
  },
  {
    name: 'dip-before-the-fall',
    kind: 'burst_edge',
    seed: 7028,
    span: [750, 830],
    text: 'A dip that ends in the drop: its seconds belong to neither level, and the onset is placed where the dip begins.',
  },
  {
    name: 'slow-settling',
    kind: 'burst_soft',
    seed: 7024,
    span: [740, 860],
    text: 'The rate settles over many seconds, and the fitted curve begins too late.',
  },
  {
    name: 'contention-as-recharge',
    kind: 'telegraph',
    seed: 7065,
    text: 'Competing traffic: the only time that does not repeat has a gap, and is therefore not counted.',
  },
  {
    name: 'contention-cut-off',
    kind: 'flapping',
    seed: 7017,
    harshness: 2,
    text: 'Competing traffic, and the recording ends before it leaves once more.',
  },
  {
    name: 'dip-as-first-step',
    kind: 'burst_longdips',
    seed: 7008,
    span: [850, 1000],
    text: 'A dip of half a minute right before the drop is mistaken for its first step.',
  },
  {
    name: 'burst-too-early',
    kind: 'burst_early',
    seed: 7019,
    span: [0, 200],
    text: 'A burst of 1 % of the recording is too short to count as a level.',
  },
  {
    name: 'fall-too-late',
    kind: 'burst_late',
    seed: 7003,
    span: [1600, 1767],
    text: 'So little is left after the drop that it might be a dip.',
  },
  {
    name: 'shallow',
    kind: 'burst_small',
    seed: 7002,
    text: 'Right here, but a competitor that stays looks the same; only the published baseline distinguishes them.',
  },
];

export const ALL_EXAMPLES: readonly Example[] = [...CLASSES, ...STEPS, ...FAILURES];

export function pictureOf({ name, kind, seed, harshness, span }: Example): Picture {
  const series = generateSeries(kind, seed, harshness);
  return { name, series, shape: classifySeries(rateIntervals(series)), span };
}

/** Two pictures per row, each with a caption of what was found. */
export function gallery(examples: readonly Example[]): string {
  const rows: string[] = [];
  for (let index = 0; index < examples.length; index += 2) {
    const pair = examples.slice(index, index + 2);
    const cells = pair.map(
      (example) => `![${example.name}](../images/detection/${example.name}.svg)<br>${caption(example)}`,
    );
    rows.push(`| ${cells.join(' | ')} |${pair.length === 1 ? '  |' : ''}`);
  }
  return ['|  |  |', '| --- | --- |', ...rows].join('\n');
}

function onsetWords({ value, low, high }: Interval): string {
  return `, onset ${value.toFixed(2)} s (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function caption(example: Example): string {
  const { series, shape } = pictureOf(example);
  const { truth } = series;
  const { kind, seed, harshness = 1, text } = example;
  const found = shape.throttle ? onsetWords(shape.throttle.onset) : '';
  const isRight = truth.accept.includes(BENCHMARK_CLASSES[shape.kind]);
  const facts = [
    ...(isRight ? [] : [`\`${truth.verdict}\``]),
    ...(truth.onset_s === undefined ? [] : [`${truth.onset_s.toFixed(2)} s`]),
  ];
  const told = facts.length === 0 ? '' : `; truth ${facts.join(', ')}`;
  const source = `\`${kind}\`, seed ${seed}${harshness === 1 ? '' : `, noise × ${harshness}`}`;
  return `**${shape.kind}**${found}${told}. ${text} <sub>${source}</sub>`;
}
