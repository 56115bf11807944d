/** Whether ENA Express carried what it was switched on for, and whether the hosts were set up for it. */
import type { PairConditions } from '../model/conditions';
import { ENA_EXPRESS_FRAME_BYTES, ENA_EXPRESS_HOST } from '../model/ec2-facts';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { HostFacts } from '../model/raw-chunk';
import type { EnaSrdPackets } from '../model/result';
import type { Protocol } from '../model/settings';
import { grouped } from '../text/format';

/** Below this share of the eligible packets, most of the traffic went without ENA Express. */
const CARRIED_SHARE = 0.5;

/**
 * Why a measurement that asked for ENA Express did not have it.
 *
 * | ENA Express | counters of the hosts            | answer                                    |
 * | ----------- | -------------------------------- | ----------------------------------------- |
 * | off         | any                              | none                                      |
 * | one side    | any                              | it works only where both hosts have it on |
 * | both        | any; UDP without its own switch  | it was on for TCP alone                   |
 * | both        | of neither host                  | none, because it is unknown               |
 * | both        | no packet was eligible           | nothing was eligible                      |
 * | both        | sent: less than half of eligible | most went without it                      |
 * | both        | sent: half of eligible and more  | none                                      |
 *
 * Eligible and sent are sums over the hosts whose driver counts them, so that acknowledgements, which are small in
 * number, decide nothing.
 */
export function enaExpressShortfall(
  { enaExpress, enaExpressUdp }: Pick<PairConditions, 'enaExpress' | 'enaExpressUdp'>,
  protocol: Protocol,
  client: EnaSrdPackets | undefined,
  server: EnaSrdPackets | undefined,
): string | undefined {
  if (enaExpress === 'off') return undefined;
  if (enaExpress === 'one_side')
    return 'ENA Express was on at the client only, but works only if it is on at both hosts';
  if (protocol === 'udp' && !enaExpressUdp) return 'ENA Express was on for TCP only, but the traffic was UDP';
  const counted = [client, server].filter((packets) => packets !== undefined);
  if (counted.length === 0) return undefined;
  const sumOf = (key: 'sent' | 'eligible') => counted.reduce((sum, packets) => sum + packets[key], 0);
  const [sent, eligible] = [sumOf('sent'), sumOf('eligible')];
  if (eligible === 0) return 'ENA Express was on at both hosts, but no packet was eligible for it';
  if (sent >= CARRIED_SHARE * eligible) return undefined;
  return `ENA Express carried ${grouped(sent)} of the ${grouped(eligible)} packets that were eligible for it`;
}

/** How a host's setup for ENA Express differs from what AWS asks for, such as by a type's shorter receive ring. */
export function enaExpressSetupWarnings(
  conditions: Pick<PairConditions, 'enaExpress' | 'zoneRelation'>,
  facts: Readonly<Partial<Record<HostRole, HostFacts>>>,
): string[] {
  const { enaExpress, zoneRelation } = conditions;
  const roles = HOST_ROLES.filter((role) => enaExpress === 'both' || (enaExpress === 'one_side' && role === 'client'));
  return roles.flatMap((role) => {
    const faults = setupFaults(facts[role] ?? {}, ENA_EXPRESS_HOST.tcpLimitOutputBytes[zoneRelation]);
    return faults.length === 0 ? [] : [`${role}: not set up as AWS asks for ENA Express: ${faults.join(', ')}`];
  });
}

function setupFaults(facts: HostFacts, leastOutputBytes: number): string[] {
  const { mtuBytes, rxRingLength, tcpLimitOutputBytes, hasByteQueueLimits, hasTcpAutocorking } = facts;
  const tooFew = (what: string, value: number | undefined, least: number, unit: string) =>
    value === undefined || value >= least
      ? []
      : [`${what} ${grouped(value)} ${unit} instead of at least ${grouped(least)}`];
  return [
    ...(mtuBytes === undefined || mtuBytes <= ENA_EXPRESS_FRAME_BYTES
      ? []
      : [`MTU ${grouped(mtuBytes)} bytes instead of at most ${grouped(ENA_EXPRESS_FRAME_BYTES)}`]),
    ...tooFew('receive ring', rxRingLength, ENA_EXPRESS_HOST.rxRingLength, 'packets'),
    ...tooFew('tcp_limit_output_bytes', tcpLimitOutputBytes, leastOutputBytes, 'bytes'),
    ...(hasByteQueueLimits === true ? ['byte queue limits on'] : []),
    ...(hasTcpAutocorking === true ? ['tcp_autocorking on'] : []),
  ];
}
