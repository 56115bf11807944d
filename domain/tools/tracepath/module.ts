/** tracepath: the number of hops of the route, and the largest packet that it carries. */
import * as z from 'zod';
import { assembleClientOutput } from '../../assembly/assemble-measurement';
import type { PairConditions } from '../../model/conditions';
import type { MeasurementSettings } from '../../model/settings';
import { parseTracepathText, TRACEPATH_FORM } from './text';
import type { ToolModule } from '../tool-module';

const plan = z.strictObject({ tool: z.literal('tracepath') });
type TracepathPlan = z.infer<typeof plan>;
type TracepathSettings = Pick<MeasurementSettings, 'durationSeconds'>;

/** More than any route within a Region has. */
const MAX_HOPS = 8;
/** tracepath asks a silent hop three times and waits a second each time; if all hops answer, it takes milliseconds. */
const SECONDS_PER_SILENT_HOP = 3;

export const tracepath = {
  name: 'tracepath',
  plan,
  output: { inWords: 'tracepath', forms: [TRACEPATH_FORM] },
  programs: { tracepath: 'iputils-tracepath' },
  measure: ({ durationSeconds }) => ({ MaxHops: MAX_HOPS, DurationSeconds: durationSeconds }),
  overheadSeconds: 1,
  settings: (): TracepathSettings => ({ durationSeconds: MAX_HOPS * SECONDS_PER_SILENT_HOP }),
  kind: () => 'conditions' as const,
  spendsCredits: () => false,
  notApplicable: (_: unknown, { path }: PairConditions) =>
    path === 'nlb'
      ? 'a Network Load Balancer forwards no ICMP, and no datagram to a port without a listener'
      : undefined,
  assemble: (streams) => assembleClientOutput(streams, parseTracepathText),
} satisfies ToolModule<TracepathPlan, TracepathSettings>;
