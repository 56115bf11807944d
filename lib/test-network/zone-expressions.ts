import { Fn } from 'aws-cdk-lib';
import type { Zones } from '../context';

/** What EC2 shows as the unknown zone of a subnet, followed by the list of the zones that there are. */
const TOO_FEW_LISTED = 'one of the zones asked for: Fn::GetAZs lists too few in this account and Region';

/**
 * One expression per subnet. The template looks the zones up at deployment; at synthesis the CDK knows no Region.
 *
 * `Fn::GetAZs` lists only zones with a default subnet: two in us-west-1, and in any Region one, where somebody has
 * deleted default subnets. `Fn::Select` beyond the list would fail the deployment as "nonexistent value at index 2". So
 * the list is continued: by itself, from its beginning, or by a text that is no zone.
 */
export function zoneExpressions(zones: Zones): string[] {
  if ('names' in zones) return [...zones.names];
  const { count, mustAllDiffer } = zones;
  const listed = Fn.join(',', Fn.getAzs());
  const beyond = Array<string>(count - 1).fill(mustAllDiffer ? TOO_FEW_LISTED : listed);
  const continued = Fn.split(',', Fn.join(',', [listed, ...beyond]));
  return Array.from({ length: count }, (_, index) => Fn.select(index, continued));
}
