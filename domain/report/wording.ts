/** The words of the data model as a reader of the report sees them: the same words, with spaces and arrows. */
import { spaced } from '../text/format';
import type { MeasurementResult } from '../model/result';

/** Arrow in the direction in which data flows. */
export function pairOfTypes(result: Pick<MeasurementResult, 'clientType' | 'serverType' | 'direction'>): string {
  const arrow = result.direction === 'reverse' ? '←' : result.direction === 'forward' ? '→' : '⇄';
  return `${result.clientType} ${arrow} ${result.serverType}`;
}

/** Of the hosts that were there, each zone once. */
export function zoneNames({ client, server }: MeasurementResult): string {
  return [...new Set([client?.zone, server?.zone])].filter(Boolean).join(', ');
}

export function zones(result: MeasurementResult): string {
  return [spaced(result.zoneRelation), zoneNames(result)].filter(Boolean).join(': ');
}

/** The bottleneck of two published figures: the lower, if both are known. */
export function publishedLimit(
  result: MeasurementResult,
  key: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): number | undefined {
  const client = result.publishedClient?.[key];
  const server = result.publishedServer?.[key];
  return client === undefined || server === undefined ? undefined : Math.min(client, server);
}
