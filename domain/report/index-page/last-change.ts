/** The last change of each cell of the atlas: which figures have changed their level over the runs, and how. */
import { LEAST_RUNS } from '../../history/change-point';
import type { AtlasEntry } from '../../history/atlas';
import type { WatchedFigure } from '../../history/changes';
import { largest } from '../../maths/extremes';
import { groupBy } from '../../maths/group-by';
import { counted, percent } from '../../text/format';
import { reportKey } from '../../workflow/object-keys';
import { html, type Html, type HtmlValue } from '../html';
import type { ReportColumn } from '../table';

export const LAST_CHANGE_WORDS =
  'A change is a new level of the baseline, the burst, the throttle onset, the bucket or a round trip (median, p99) that ' +
  'lasts for three runs or more. Each figure has its last one, with the first run at the new level. Fewer than ' +
  `${LEAST_RUNS} runs are too few to find one. A run does not count if other work kept processors busy ` +
  'during all of its repetitions. A dash means that none of these figures was measured.';

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
  const changes = watched.map(changeOf).filter((change) => change !== undefined);
  if (changes.length > 0) return changes;
  const runCount = largest([0, ...watched.map(({ points }) => points.length)]);
  if (runCount === 0) return undefined;
  if (runCount < LEAST_RUNS) return html`too few runs<small>${runCount} of at least ${LEAST_RUNS}</small>`;
  return html`none found<small>in ${counted(runCount, 'run')}</small>`;
}

function changeOf({ change, figure }: WatchedFigure): Html | undefined {
  if (change === undefined) return undefined;
  const { before, after, direction, ratio, at, firstRunId, runCount } = change;
  const moved = direction === 'rise' ? 'rose' : 'fell';
  return html`<div>
    ${figure.name} ${moved} by ${percent(Math.abs(ratio - 1))}
    <small>
      from ${figure.format(before.median)} to ${figure.format(after.median)} ${figure.unit}, since
      <a href="${reportKey(firstRunId)}" aria-label="${at.slice(0, 10)}, report of ${firstRunId}">${at.slice(0, 10)}</a
      >, in the newest ${after.runCount} of ${counted(runCount, 'run')}
    </small>
  </div>`;
}
