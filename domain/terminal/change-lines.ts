/** Describes changes in sentences: over the history of all runs, and since the run that the plan is compared with. */
import type { ChangedFigure } from '../history/changes';
import { shareOf } from '../maths/mode-shares';
import { cellInWords } from '../model/cell';
import { TOO_SMALL, type FigureChange } from '../repetitions/compared-figures';
import { comparisonLine, contentionOfChange, type RunComparison } from '../run/comparison';
import { possibly, sharesInWords, TOO_FEW } from '../run/words';
import type { RunSummaryJson } from '../run/summary';
import { figureByKey, type Figure } from '../tables/figures';
import { counted, lowerFirst, percent } from '../text/format';
import { printable } from '../text/printable';
import { wrapped } from '../text/text-table';

/**
 * `Baseline of c5.xlarge to c5.9xlarge fell by 18 %, from 1.25 to 1.02 Gbit/s (95 % interval 1.01 to 1.03), in the
 * newest 3 of 15 runs, since 2026-10-13 (run …). Measured by iperf3: …` or `Possible change: baseline of … fell by
 * about 14 %, …`
 */
export function changeLine({ cell, figure, change }: ChangedFigure): string {
  const { certainty, after, at, firstRunId, runCount } = change;
  const isPossible = certainty === 'possible';
  const sentence = changeInWords(figure, cell, change);
  return (
    `${isPossible ? possibly(sentence) : sentence}, in the newest ${after.runCount} of ` +
    `${counted(runCount, 'run')}${isPossible ? TOO_FEW : ''}, since ${at.slice(0, 10)} (run ${firstRunId}). Measured by ${cell.conditions}`
  );
}

/** `baseline of c5.xlarge fell by 18 %`, for the subject of a mail. */
export function briefChange({ cell: { clientType, serverType }, figure, change }: ChangedFigure): string {
  const types = clientType === serverType ? clientType : `${clientType} to ${serverType}`;
  const subject = `${lowerFirst(figure.name)} of ${types}`;
  const verb = change.direction === 'rise' ? 'rose' : 'fell';
  if (!('shares' in change)) return `${subject} ${verb} by ${percent(Math.abs(change.ratio - 1))}`;
  const { above, earlier, now } = change.shares;
  const [from, to] = [earlier, now].map((share) => percent(shareOf(share)));
  return `${subject}: pairs at ${above.map(figure.format).join(' or ')} ${figure.unit} ${verb} from ${from} to ${to}`;
}

function changeInWords(figure: Figure, cell: Types, change: ChangedFigure['change']): string {
  if ('shares' in change) return `${subjectOf(figure, cell)}: ${sharesInWords(figure, change.shares)}`;
  const { certainty, before, after } = change;
  const sentence = moved(figure, cell, before.median, after.median, {
    about: certainty === 'possible' ? 'about ' : '',
  });
  return `${sentence} (95 % interval ${figure.format(after.low)} to ${figure.format(after.high)})`;
}

/**
 * Returns a line for each cell that has changed beyond the noise since the compared run: the most significant change,
 * the names of the other changed figures, whether the change matters, and whether processors were busy with other work.
 */
export function comparedLines({ cells }: RunComparison, measurements: RunSummaryJson['measurements']): string[] {
  return cells.flatMap((cell) => {
    const { measurementIds, figures } = cell;
    const measured = measurements.find((measurement) => measurementIds.includes(measurement.measurementId));
    const changed = figures
      .filter(({ isBeyondNoise }) => isBeyondNoise === true)
      .sort((left, right) => (left.chance ?? 1) - (right.chance ?? 1));
    const [first, ...others] = changed;
    if (measured === undefined || first === undefined) return [];
    const line = comparedLine(first, measured);
    const zones = first.basis === 'zones' ? ', compared zone by zone' : '';
    const small = first.matters === false ? `; ${TOO_SMALL}` : '';
    const names = others.map(({ figure }) => figureByKey(figure).name);
    const also = names.length === 0 ? '' : `; also changed: ${names.join('; ')}`;
    const contention = contentionOfChange(cell);
    const but = contention === undefined ? '' : `; but ${contention}`;
    return `${line}${zones}${small}${also}${but}. Measured by ${cellInWords(measured)}`;
  });
}

function comparedLine({ figure: key, levels, ratio, shares }: FigureChange, measured: Types): string {
  const figure = figureByKey(key);
  if (levels !== null) return moved(figure, measured, levels.earlier, levels.now, { ratio });
  return `${subjectOf(figure, measured)}: ${shares === undefined ? 'changed' : sharesInWords(figure, shares)}`;
}

/**
 * Returns for a terminal the changes since the compared run, and then the warnings of the run, such as why there was no
 * comparison. Empty where there is neither.
 */
export function comparisonText(
  { comparedRun, measurements, warnings }: Pick<RunSummaryJson, 'comparedRun' | 'measurements' | 'warnings'>,
  width = Infinity,
): string {
  const compared =
    comparedRun === null
      ? []
      : [
          ...wrapped(printable(comparisonLine(comparedRun)), width),
          ...indented(comparedLines(comparedRun, measurements), width),
        ];
  return [...compared, ...warnings.flatMap((warning) => wrapped(printable(`warning: ${warning}`), width))].join('\n');
}

const indented = (lines: readonly string[], width: number) =>
  lines.flatMap((line) => wrapped(printable(line), width - 2).map((part) => `  ${part}`));

function moved(
  figure: Figure,
  types: Types,
  before: number,
  after: number,
  {
    about = '',
    ratio = before > 0 ? after / before : null,
  }: { readonly about?: string; readonly ratio?: number | null } = {},
): string {
  // There is no relative change from 0, which a count such as the retransmits can be.
  const share = ratio === null ? '' : ` by ${about}${percent(Math.abs(ratio - 1))}`;
  const verb = (ratio ?? Infinity) > 1 ? 'rose' : 'fell';
  const { format, unit } = figure;
  return `${subjectOf(figure, types)} ${verb}${share}, from ${format(before)} to ${format(after)} ${unit}`;
}

interface Types {
  readonly clientType: string;
  readonly serverType: string;
}

/** `Burst of c5.large to c5.large`, or `Round trip, p99, of …` */
const subjectOf = ({ name }: Figure, { clientType, serverType }: Types) =>
  `${name.includes(',') ? `${name},` : name} of ${clientType} to ${serverType}`;
