/** The list of all tools. A new tool is added here. */
import * as z from 'zod';
import { http } from './http';
import { iperf3 } from './iperf3';
import { ping } from './ping';
import { s3 } from './s3';
import { sockperf } from './sockperf';
import { tracepath } from './tracepath';
import type { ToolModule } from './tool-module';

/** An entry of a plan's `measurements`, discriminated by `tool`. */
export const measurementPlan = z.discriminatedUnion('tool', [
  iperf3.plan,
  sockperf.plan,
  ping.plan,
  tracepath.plan,
  http.plan,
  s3.plan,
]);
export type MeasurementPlan = z.infer<typeof measurementPlan>;

export const TOOL_MODULES: readonly ToolModule<MeasurementPlan>[] = [iperf3, sockperf, ping, tracepath, http, s3];

/** @throws for a tool that there is no module of */
export function toolModule(name: string): ToolModule<MeasurementPlan> {
  const module = TOOL_MODULES.find((each) => each.name === name);
  if (module !== undefined) return module;
  const names = TOOL_MODULES.map((each) => each.name).join(', ');
  throw new Error(`tool: must be one of ${names}, got ${JSON.stringify(name)}`);
}
