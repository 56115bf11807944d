/** What a plan measures more than once, put together: a cell is one of its measurements between one of its pairs. */
import type { MeasurementResult } from '../model/result';
import type { MeasurementSettings } from '../model/settings';
import type { PairConditions } from '../model/conditions';

export interface Cell {
  /** Types, conditions, tool and settings: the same in every run that measures this. */
  readonly key: string;
  /** Complete ones, at least one, in the order of their repetitions. */
  readonly results: readonly MeasurementResult[];
}

/** Repeated on the same hosts: how they scatter tells of these hosts, and nothing of how far other ones are from them. */
export function sharesPairs({ results }: Pick<Cell, 'results'>): boolean {
  return new Set(results.map(({ pairId }) => pairId)).size < results.length;
}

/** In the plan's order, whatever the order of measuring. What did not end well is no repetition of what did. */
export function cellsOf(results: readonly MeasurementResult[]): Cell[] {
  const complete = results
    .filter(({ status }) => status === 'complete')
    .sort(
      (left, right) =>
        left.planPairIndex - right.planPairIndex ||
        left.planMeasurementIndex - right.planMeasurementIndex ||
        left.repetition - right.repetition ||
        left.pairRepetition - right.pairRepetition,
    );
  const cells = new Map<string, MeasurementResult[]>();
  for (const result of complete) {
    const key = cellKey(result);
    cells.set(key, [...(cells.get(key) ?? []), result]);
  }
  return [...cells].map(([key, of]) => ({ key, results: of }));
}

/** Every condition and every setting: that none is forgotten is the type's business. */
const CONDITIONS: Readonly<Record<keyof PairConditions, true>> = {
  zoneRelation: true,
  placement: true,
  path: true,
  enaExpress: true,
  enaExpressUdp: true,
  mtuBytes: true,
};

const SETTINGS: Readonly<Record<keyof MeasurementSettings, true>> = {
  durationSeconds: true,
  protocol: true,
  mode: true,
  direction: true,
  parallelStreams: true,
  targetBitsPerSecond: true,
  messageBytes: true,
  messagesPerSecond: true,
  scheme: true,
  objectBytes: true,
  rangeBytes: true,
  packetCount: true,
  intervalMillis: true,
  dutyCycle: true,
  stopAfterThrottledSeconds: true,
  latencyProbe: true,
};

export const CONDITION_KEYS = Object.keys(CONDITIONS) as (keyof PairConditions)[];
export const SETTING_KEYS = Object.keys(SETTINGS) as (keyof MeasurementSettings)[];

export function cellKey(result: MeasurementResult): string {
  const keys = ['clientType', 'serverType', 'tool', ...CONDITION_KEYS, ...SETTING_KEYS] as const;
  return JSON.stringify(keys.map((key) => result[key] ?? null));
}
