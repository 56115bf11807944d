/** Says on the first screen what changed since the run that the plan is compared with, or since all earlier runs. */
import type { ComparedCell } from '../../run/comparison';
import { labelledCells } from '../../repetitions/cells';
import { judgedFigures, type FigureChange } from '../../repetitions/compared-figures';
import type { ReportInput } from '../../run/report-input';
import { sharesInWords } from '../../run/words';
import { sizeOfShares } from '../../maths/mode-shares';
import { figureByKey } from '../../tables/figures';
import { counted, lowerFirst, percent } from '../../text/format';
import { html, type Html } from '../page/html';

type Compared = Pick<ReportInput, 'comparedRun' | 'earlierRuns'>;

/** @returns undefined where there is nothing to compare with */
export function changedSentence({ comparedRun, earlierRuns }: Compared): Html | undefined {
  const compared = comparedRun?.compared ?? earlierRuns;
  if (compared === undefined || compared.length === 0) return undefined;
  const { judged, changed } = judgedFigures(compared);
  const other = comparedRun === undefined ? 'earlier runs' : `run ${comparedRun.earlierRunId}`;
  const id = comparedRun === undefined ? 'comparison' : 'run-comparison';
  const link = html`<a href="#${id}">Compared with ${other}</a>`;
  const largest = largestChange(compared);
  if (largest === undefined) {
    return html`<p class="changed">${link}: none of ${counted(judged.length, 'figure')} changed beyond the noise.</p>`;
  }
  return html`<p class="changed">
    ${link}: <b>${changed.length} of ${counted(judged.length, 'figure')} changed</b>. The largest change: ${largest}.
  </p>`;
}

/** `burst of c5.xlarge fell by 12 %, from 9.7 to 8.5 Gbit/s` */
function largestChange(compared: readonly ComparedCell[]): string | undefined {
  const { rows } = labelledCells(compared.map(({ now }) => now));
  const all = compared.flatMap(({ figures }, index) =>
    figures.flatMap((change) =>
      change.isBeyondNoise === true ? [{ change, label: rows[index]?.label ?? '', size: sizeOf(change) }] : [],
    ),
  );
  const [largest] = all.sort((left, right) => right.size - left.size);
  if (largest === undefined) return undefined;
  const { change, label } = largest;
  const { name, format, unit } = figureByKey(change.figure);
  const subject = `${lowerFirst(name)} of ${label}`;
  if (change.shares !== undefined) return `${subject}: ${sharesInWords({ format, unit }, change.shares)}`;
  const verb = (change.ratio ?? Infinity) > 1 ? 'rose' : 'fell';
  const by = change.ratio === null ? '' : ` by ${percent(Math.abs(change.ratio - 1))}`;
  const levels = change.levels && `, from ${format(change.levels.earlier)} to ${format(change.levels.now)} ${unit}`;
  return `${subject} ${verb}${by}${levels ?? ''}`;
}

function sizeOf({ ratio, shares }: FigureChange): number {
  if (shares !== undefined) return sizeOfShares(shares);
  return ratio === null || ratio <= 0 ? Infinity : Math.abs(Math.log(ratio));
}
