/**
 * The table of a pair's conditions: where its hosts stand and how they reach each other. Like the table of settings, it
 * is the one home that the plan's schema, the columns, the words and the identity of a measurement are derived from.
 */
import * as z from 'zod';
import { spaced } from '../text/format';
import { ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from './ec2-facts';
import { setting, type ValuesOf } from './setting';

const ZONE_RELATIONS = ['same_zone', 'other_zone'] as const;
export type ZoneRelation = (typeof ZONE_RELATIONS)[number];

const PLACEMENTS = ['none', 'cluster', 'spread', 'partition'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** The route between the hosts: by private or public address, through a Network Load Balancer, or over VPC peering. */
export const PATHS = ['private', 'public', 'nlb', 'peering'] as const;
export type NetworkPath = (typeof PATHS)[number];

/** On which of the hosts ENA Express is on; `one_side` is the client. */
const ENA_EXPRESS_SIDES = ['off', 'one_side', 'both'] as const;
export type EnaExpress = (typeof ENA_EXPRESS_SIDES)[number];

export const MTU_SIZES_BYTES = [JUMBO_FRAME_BYTES, ETHERNET_FRAME_BYTES] as const;

const PATH_WORDS: Readonly<Record<NetworkPath, string>> = {
  private: 'private address',
  public: 'public address',
  nlb: 'load balancer',
  peering: 'VPC peering',
};

export const CONDITIONS = {
  zoneRelation: setting(
    z.enum(ZONE_RELATIONS),
    { column: 'zone_relation', type: 'string', comment: 'Zones of the two hosts: same_zone or other_zone' },
    spaced,
  ),
  placement: setting(
    z.enum(PLACEMENTS),
    {
      column: 'placement',
      type: 'string',
      comment: 'Placement group strategy: none, cluster, spread or partition',
    },
    (placement) => (placement === 'none' ? 'no placement group' : `${placement} group`),
  ),
  path: setting(
    z.enum(PATHS),
    { column: 'path', type: 'string', comment: 'Route between the hosts: private, public, nlb or peering' },
    (path) => PATH_WORDS[path],
  ),
  enaExpress: setting(
    z.enum(ENA_EXPRESS_SIDES),
    { column: 'ena_express', type: 'string', comment: 'ENA Express: off, one_side or both' },
    (sides) => `ENA Express ${spaced(sides)}`,
  ),
  // ENA Express carries UDP only where that is switched on by itself.
  enaExpressUdp: setting(
    z.boolean(),
    { column: 'ena_express_udp', type: 'boolean', comment: 'Whether ENA Express was on for UDP too' },
    (isOnForUdp) => (isOnForUdp ? 'ENA Express for UDP too' : undefined),
  ),
  mtuBytes: setting(
    z.literal([...MTU_SIZES_BYTES]),
    { column: 'mtu_bytes', type: 'bigint', comment: 'MTU that was set on both interfaces' },
    (size) => `MTU ${size}`,
  ),
};

export type ConditionName = keyof typeof CONDITIONS;
export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[];

/** Everything that a pair is, apart from its two instance types. */
export type PairConditions = ValuesOf<typeof CONDITIONS>;
