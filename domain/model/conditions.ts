/** Where the hosts of a pair stand and how they reach each other. */
export const ZONE_RELATIONS = ['same_zone', 'other_zone'] as const;
export type ZoneRelation = (typeof ZONE_RELATIONS)[number];
export const PLACEMENTS = ['none', 'cluster', 'spread', 'partition'] as const;
export type Placement = (typeof PLACEMENTS)[number];
/** The route between the hosts: by private or public address, through a Network Load Balancer, or over VPC peering. */
export const PATHS = ['private', 'public', 'nlb', 'peering'] as const;
export type NetworkPath = (typeof PATHS)[number];
/** On which of the hosts ENA Express is on; `one_side` is the client. */
export const ENA_EXPRESS_SIDES = ['off', 'one_side', 'both'] as const;
export type EnaExpress = (typeof ENA_EXPRESS_SIDES)[number];
/** EC2's jumbo frame, and Ethernet's. */
export const MTU_SIZES_BYTES = [9001, 1500] as const;
export type MtuBytes = (typeof MTU_SIZES_BYTES)[number];

/** What a pair is, apart from its types: where its hosts stand and how they reach each other. */
export interface PairConditions {
  readonly zoneRelation: ZoneRelation;
  readonly placement: Placement;
  readonly path: NetworkPath;
  readonly enaExpress: EnaExpress;
  /** ENA Express carries UDP only where that is switched on by itself. */
  readonly enaExpressUdp: boolean;
  readonly mtuBytes: MtuBytes;
}
