/** The figures that a measurement will have, by its tool and settings, which a plan may have expectations of. */
import { figureNamesOf, type MeasuredFigureName } from '../model/expectation';
import { toolModule } from './catalogue';
import type { FigureSettings } from './tool-module';

/** @throws for a tool that there is no module of */
export function measuredFigures(measurement: FigureSettings & { readonly tool: string }): MeasuredFigureName[] {
  const module = toolModule(measurement.tool);
  const ofKind = figureNamesOf(module.kind(measurement)) as MeasuredFigureName[];
  return [...ofKind, ...(module.ownFigures?.(measurement) ?? [])];
}
