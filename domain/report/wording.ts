/** Words of the data model in the form in which the report shows them. */
import { spaced } from '../text/format';
import type { MeasurementResult } from '../model/result';

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
