/** The last change of each cell of the atlas: which figures have changed their level over the runs, and how. */
import { LEAST_RUNS, LEAST_RUNS_OF_POSSIBLE, type HistoryChange } from '../../history/change-point';
import type { AtlasEntry } from '../../history/atlas';
import type { WatchedFigure } from '../../history/changes';
import { largest } from '../../maths/extremes';
import { groupBy } from '../../maths/group-by';
import { counted, percent } from '../../text/format';
import { possibly, TOO_FEW } from '../../run/words';
import type { Figure } from '../../tables/figures';
import { reportKey } from '../../workflow/object-keys';
import { html, type Html, type HtmlValue } from '../page/html';
import type { ReportColumn } from '../page/table-columns';

export const LAST_CHANGE_WORDS =
  'A change is a new level of the baseline, the burst, the throttle onset, the bucket or a round trip (median, p99) that ' +
  'lasts for three runs or more. Each figure has its last one, with the first run at the new level. Fewer than ' +
  `${LEAST_RUNS} runs are too few to find one. From ${LEAST_RUNS_OF_POSSIBLE} runs on, a change that is only ` +
  'possible is shown as such, with the 95 % interval of the new level: it is no alarm, and may go again with further ' +
  'runs. A run does not count if other work kept processors busy during all of its repetitions. A dash means that none ' +
  'of these figures was measured.';

export function lastChangeColumn(figures: readonly WatchedFigure[]): ReportColumn<AtlasEntry> {
  const watched = groupBy(figures, ({ cell }) => cell.cell);
  return {
    heading: 'Last change',
    isRoomy: true,
    cell: ({ cell, contendedRunCount }) => {
      const left =
        contendedRunCount > 0 && html`<small>${counted(contendedRunCount, 'run')} on busy processors</small>`;
      const found = lastChanges(watched.get(cell.cell) ?? []);
      return found === undefined && left === false ? undefined : html`${found}${left}`;
    },
  };
}

function lastChanges(watched: readonly WatchedFigure[]): HtmlValue {
  const changes = watched.flatMap(({ figure, change, possibleChange }) =>
    [change, possibleChange].filter((each) => each !== undefined).map((each) => changeCell(figure, each)),
  );
  if (changes.length > 0) return changes;
  const runCount = largest([0, ...watched.map(({ points }) => points.length)]);
  if (runCount === 0) return undefined;
  if (runCount < LEAST_RUNS) return html`too few runs<small>${runCount} of at least ${LEAST_RUNS}</small>`;
  return html`none found<small>in ${counted(runCount, 'run')}</small>`;
}

function changeCell(
  { name, format, unit }: Figure,
  { certainty, before, after, direction, ratio, at, firstRunId, runCount }: HistoryChange,
): Html {
  const isPossible = certainty === 'possible';
  const sentence = `${name} ${direction === 'rise' ? 'rose' : 'fell'} by ${isPossible ? 'about ' : ''}${percent(Math.abs(ratio - 1))}`;
  const interval = isPossible && ` (95 % interval ${format(after.low)} to ${format(after.high)})`;
  return html`<div>
    ${isPossible ? possibly(sentence) : sentence}
    <small>
      from ${format(before.median)} to ${format(after.median)} ${unit}${interval}, since
      <a href="${reportKey(firstRunId)}" aria-label="${at.slice(0, 10)}, report of ${firstRunId}">${at.slice(0, 10)}</a
      >, in the newest ${after.runCount} of ${counted(runCount, 'run')}${isPossible && TOO_FEW}
    </small>
  </div>`;
}
