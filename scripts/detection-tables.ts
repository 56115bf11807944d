/** The figures of `docs/detection.md` as Markdown. A test checks that they match. */
import { scoreDetector, type Score } from '../test/support/benchmark-score';
import type { LabelledSeries } from '../test/support/prediction';
import { generatedLong, generatedShort, publicSet, recordedBuckets } from './detection-sets';

/** Each set is made once, because making it takes as long as judging it. */
const halfHours = new Map<number, LabelledSeries[]>();
function halfHour(harshness: number): LabelledSeries[] {
  const made = halfHours.get(harshness) ?? generatedLong(harshness);
  halfHours.set(harshness, made);
  return made;
}

export interface NamedSet {
  readonly name: string;
  readonly series: () => LabelledSeries[];
}

export const OWN_SETS: readonly NamedSet[] = [
  { name: 'public benchmark (tuned on)', series: publicSet },
  { name: 'half an hour, generated', series: () => halfHour(1) },
  { name: 'half an hour, noise × 1.5', series: () => halfHour(1.5) },
  { name: 'half an hour, noise × 2', series: () => halfHour(2) },
  { name: 'one to three minutes, generated', series: () => generatedShort(1) },
  { name: 'one to three minutes, noise × 2', series: () => generatedShort(2) },
  { name: 'recorded over token buckets of the lab', series: recordedBuckets },
];

/** These recordings are not in this repository: the row is kept as it is unless they are given. */
export const C5_NAME = 'C5 instances, 2019 (recordings not in this repository)';

const SCORE_HEAD = [
  '| set | series | F1 | F1, onset within 15 s | false positives | class right | onset error s, median / p90 / p95 | interval covers | bucket error, median |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

export function scoreRow({ name, series }: NamedSet): string {
  const score = scoreDetector(series());
  const { p50, p90, p95 } = score.onsetErrorSeconds;
  return row([
    name,
    String(score.count),
    ...decision(score),
    `${seconds(p50)} / ${seconds(p90)} / ${seconds(p95)}`,
    share(score.intervalCoverage),
    Number.isNaN(score.bucketErrorMedian) ? 'not known' : percent(score.bucketErrorMedian),
  ]);
}

/** @param c5Row made from the recordings, or copied from the document */
export function scoreTable(c5Row: string): string {
  return [...SCORE_HEAD, ...OWN_SETS.map(scoreRow), c5Row].join('\n');
}

/** The line of the document's table that starts with this name. */
export function rowNamed(document: string, name: string): string | undefined {
  return document.split('\n').find((line) => line.startsWith(`| ${name.trim()} `));
}

function decision(score: Score): string[] {
  return [share(score.f1), share(score.f1Placed), percent(score.falsePositiveRate), share(score.classAccuracy)];
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.trim()).join(' | ')} |`;
const share = (value: number) => (value === 1 ? '1' : value.toFixed(3).replace(/^0/, ''));
const percent = (value: number) => `${Number((100 * value).toFixed(1))} %`;
const seconds = (value: number) => value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 0).replace(/^0/, '');
