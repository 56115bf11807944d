/** What a plan can't show, or costs without saying: no reason to refuse it, each with its path. */
import { counted, threeDigits } from '../text/format';
import type { BulkForecast, OnsetForecast } from './forecast-bulk';
import type { MeasurementForecast, RunForecast } from './forecast-run';
import type { ForecastMeasurement, ForecastPair } from './inputs';

export interface PlanWarning {
  readonly path: string;
  readonly text: string;
}

const inPlanOrder = new Intl.Collator('en', { numeric: true });

/** The same of several pairs is said once. */
export function planWarnings(forecast: RunForecast, pairs: readonly ForecastPair[]): PlanWarning[] {
  const found = forecast.pairs.flatMap(({ planPairIndex, measurements }, pairIndex) =>
    measurements.flatMap((measurement, index) =>
      warningsOf(measurement, pairs[pairIndex]!.measurements[index]!, planPairIndex),
    ),
  );
  const withoutPrice = forecast.typesWithoutPrice.map((type) => ({
    path: 'plan.prices.instanceUsdPerHour',
    text: `${type} has no price: what the run costs is unknown`,
  }));
  const once = new Map([...found, ...withoutPrice].map((warning) => [formatWarning(warning), warning]));
  return [...once].sort(([one], [other]) => inPlanOrder.compare(one, other)).map(([, warning]) => warning);
}

export function formatWarning({ path, text }: PlanWarning): string {
  return `${path}: ${text}`;
}

/** A line for each thing that is said, with the first of its places: forty short measurements are one line. */
export function warningLines(warnings: readonly PlanWarning[]): string[] {
  const leafOf = (path: string) => path.slice(path.lastIndexOf('.'));
  const groups = new Map<string, PlanWarning[]>();
  for (const warning of warnings) {
    const key = `${leafOf(warning.path)}: ${warning.text}`;
    groups.set(key, [...(groups.get(key) ?? []), warning]);
  }
  return [...groups.values()].map(([first, ...others]) => {
    if (others.length === 0) return formatWarning(first!);
    return `${first!.path} and ${counted(others.length, 'other')}: ${first!.text}`;
  });
}

function warningsOf(
  { planMeasurementIndex, notApplicable, bulk }: MeasurementForecast,
  { durationSeconds }: ForecastMeasurement,
  planPairIndex: number,
): PlanWarning[] {
  const path = `plan.measurements[${planMeasurementIndex}]`;
  if (notApplicable !== undefined) {
    return [{ path, text: `not applicable on plan.pairs[${planPairIndex}]: ${notApplicable}` }];
  }
  if (bulk === undefined) return [];
  return [
    ...durationWarning(bulk, durationSeconds).map((text) => ({ path: `${path}.durationSeconds`, text })),
    ...flowCapWarning(bulk).map((text) => ({ path: `${path}.parallelStreams`, text })),
  ];
}

function durationWarning({ onset, canShow }: BulkForecast, durationSeconds: number): string[] {
  if (onset.kind === 'unknown') return [`when the throttle comes is unknown: ${onset.reason}`];
  if (onset.kind === 'none' || canShow === 'yes') return [];
  const verb = canShow === 'no' ? "can't" : 'may not';
  return [`${durationSeconds} s ${verb} show the throttle of ${onset.instanceType} expected at ${onsetText(onset)}`];
}

function flowCapWarning(bulk: BulkForecast): string[] {
  const { flowCount, flowCapBitsPerSecond: cap, peakBitsPerSecond: peak, burstBitsPerSecond: burst } = bulk;
  const reached = flowCount * cap;
  if (peak === null || burst === null || reached >= peak || burst < reached) return [];
  const flows = flowCount === 1 ? '1 flow is' : `${flowCount} flows are`;
  return [
    `${flows} capped at ${threeDigits(reached / 1e9)} Gbit/s, below the peak of ${threeDigits(peak / 1e9)} Gbit/s`,
  ];
}

/** `1059 s`, `300 to 3600 s`: what is spread by no more than a tenth is one figure. */
export function onsetText(onset: Extract<OnsetForecast, { kind: 'at' }>): string {
  const { lowSeconds, expectedSeconds, highSeconds } = onset;
  if (expectedSeconds === null || highSeconds === null) return `${Math.round(lowSeconds)} s or later`;
  if (highSeconds - lowSeconds <= 0.1 * expectedSeconds) return `${Math.round(expectedSeconds)} s`;
  return `${Math.round(lowSeconds)} to ${Math.round(highSeconds)} s`;
}
