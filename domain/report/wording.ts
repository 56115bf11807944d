/** Words of the data model in the form in which the report shows them. */
import type { Interval } from '../maths/interval';
import type { MeasurementResult } from '../model/result';
import { spaced } from '../text/format';

/** The two instance types, with an arrow in the direction in which the data flows. */
export function pairOfTypes(result: Pick<MeasurementResult, 'clientType' | 'serverType' | 'direction'>): string {
  const arrow = result.direction === 'reverse' ? '←' : result.direction === 'forward' ? '→' : '⇄';
  return `${result.clientType} ${arrow} ${result.serverType}`;
}

/** The zones of the hosts that were launched, each zone once. */
export function zoneNames({ client, server }: MeasurementResult): string {
  return [...new Set([client?.zone, server?.zone])].filter(Boolean).join(', ');
}

/** `same zone (eu-central-1a)` */
export function zones(result: MeasurementResult): string {
  const names = zoneNames(result);
  return names === '' ? spaced(result.zoneRelation) : `${spaced(result.zoneRelation)} (${names})`;
}

/** A figure of the verdict as text, with the ends of its 95 % interval; undefined where the verdict lacks it. */
export function intervalText(interval: Interval | null | undefined, format: (value: number) => string) {
  if (!interval) return undefined;
  return { value: format(interval.value), low: format(interval.low), high: format(interval.high) };
}
