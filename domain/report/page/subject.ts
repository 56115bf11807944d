/** The columns that say what was measured, and where. */
import { spaced } from '../../text/format';
import { CONDITIONS } from '../../model/conditions';
import { JUMBO_FRAME_BYTES } from '../../model/ec2-facts';
import type { MeasurementResult } from '../../model/result';
import { wordsOf } from '../../model/setting';
import { settingsInWords } from '../../model/settings';
import { pairOfTypes, zoneNames } from '../../run/words';
import { withNotes } from './columns';
import { html } from './html';
import { column, roomyColumn, type ReportColumn } from './table';

export const subjectColumns: readonly ReportColumn<MeasurementResult>[] = [
  column('Client and server', (result) =>
    withNotes(
      html`<b class="nowrap">${pairOfTypes(result)}</b>`,
      `${result.measurementId}, ${result.tool}: ${settingsInWords(result)}`,
    ),
  ),
  roomyColumn('Where', (result) => withNotes(spaced(result.zoneRelation), zoneNames(result), placementAndPath(result))),
];

/** Writes the conditions in words. ENA Express and the MTU are mentioned only where they differ from EC2's defaults. */
export function placementAndPath(result: MeasurementResult): string {
  const { path, placement, enaExpress, enaExpressUdp, mtuBytes, clientCpuCredits, serverCpuCredits } = result;
  const hasEnaExpress = enaExpress !== 'off';
  return wordsOf(CONDITIONS, {
    path,
    placement,
    enaExpress: hasEnaExpress ? enaExpress : undefined,
    enaExpressUdp: hasEnaExpress ? enaExpressUdp : undefined,
    mtuBytes: mtuBytes === JUMBO_FRAME_BYTES ? undefined : mtuBytes,
    clientCpuCredits,
    serverCpuCredits,
  }).join(', ');
}
