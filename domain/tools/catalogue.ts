/** The list of all tools. A new tool is added here. */
import * as z from 'zod';
import { http } from './http/module';
import { iperf3 } from './iperf3/module';
import { ping } from './ping/module';
import { s3 } from './s3/module';
import { sockperf } from './sockperf/module';
import { tracepath } from './tracepath/module';
import { figureNamesOf, type MeasuredFigureName } from '../model/expectation';
import type { FigureSettings, ToolModule } from './tool-module';

const MODULES = { iperf3, sockperf, ping, tracepath, http, s3 };
type Modules = typeof MODULES;
type Plan = Modules[keyof Modules]['plan'];

export const measurementPlan = z.discriminatedUnion(
  'tool',
  Object.values(MODULES).map(({ plan }) => plan) as [Plan, ...Plan[]],
);
export type MeasurementPlan = z.infer<typeof measurementPlan>;

export const TOOL_MODULES: readonly ToolModule<MeasurementPlan>[] = Object.values(MODULES);

/** @throws if there is no module for the tool */
export function toolModule(name: string): ToolModule<MeasurementPlan> {
  const module = TOOL_MODULES.find((each) => each.name === name);
  if (module !== undefined) return module;
  const names = TOOL_MODULES.map((each) => each.name).join(', ');
  throw new Error(`tool: must be one of ${names}, got ${JSON.stringify(name)}`);
}

/**
 * Returns the figures that a measurement will have, by its tool and settings; a plan may have expectations of these.
 * @throws if there is no module for the tool
 */
export function measuredFigures(measurement: FigureSettings & { readonly tool: string }): MeasuredFigureName[] {
  const module = toolModule(measurement.tool);
  const ofKind = figureNamesOf(module.kind(measurement)) as MeasuredFigureName[];
  return [...ofKind, ...(module.ownFigures?.(measurement) ?? [])];
}
