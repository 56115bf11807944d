/** Prices by what is charged, and what a run has cost: `reports/<run id>/cost.json`. */

export const PRICE_PARTS = [
  'instances',
  'publicAddresses',
  'crossZoneTraffic',
  'publicTraffic',
  'loadBalancer',
  's3',
  'athena',
  'stepFunctions',
  'lambda',
  'cpuCredits',
] as const;

/** In USD. A part that is null is unknown, and so is every sum that contains it. */
export type PriceSplit = Readonly<Record<(typeof PRICE_PARTS)[number], number | null>>;

export function totalUsd(split: PriceSplit): number | null {
  return sumOrUnknown(Object.values(split));
}

export function sumOrUnknown(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

/** A run at its end. Every price is by the plan's prices and, like the forecast, before tax, free tier and discounts. */
export interface RunCost {
  readonly schema: 'network-benchmark.cost.v1';
  readonly runId: string;
  /** The sum over the pairs; null: unknown. */
  readonly costUsd: number | null;
  readonly pairs: readonly PairCost[];
  readonly measurements: readonly MeasurementCost[];
}

/** Where the hosts of a pair were launched; nothing where none was. */
export interface LaunchedPlaces {
  readonly clientZone?: string;
  readonly serverZone?: string;
  readonly clientZoneId?: string;
  readonly serverZoneId?: string;
  readonly isDisplaced?: boolean;
  readonly clientSubnetId?: string;
  readonly serverSubnetId?: string;
  readonly clientVpcId?: string;
  readonly serverVpcId?: string;
  readonly clientImageId?: string;
  readonly serverImageId?: string;
}

/** With an equal part of what the run costs as a whole, which is its summary and its queries. */
export interface PairCost extends LaunchedPlaces {
  readonly pairId: string;
  /** When its hosts were launched; absent where none was. ISO 8601, UTC. */
  readonly launchedAt?: string;
  /** When its hosts were terminated, up to which EC2 charges; absent where that is not known. */
  readonly goneAt?: string;
  /** Charged seconds of all its hosts together, those of a refused launch included. */
  readonly hostSeconds: number | null;
  readonly clientHourlyUsd: number | null;
  readonly serverHourlyUsd: number | null;
  /** Sent by both hosts while something was measured. */
  readonly trafficBytes: number | null;
  /** As forecast before the first launch; null where the store has no forecast. */
  readonly expected: PriceSplit | null;
  readonly upper: PriceSplit | null;
  readonly cost: PriceSplit;
  /** Why a part is unknown or not exact. */
  readonly warnings: readonly string[];
}

/** What a measurement caused itself, and its share of what its pair costs as a whole. */
export interface MeasurementCost {
  readonly measurementId: string;
  readonly expectedUsd: number | null;
  readonly costUsd: number | null;
  /** Its part of `costUsd` for the hosts, with their disks, public addresses and CPU credits. */
  readonly hostsUsd: number | null;
  /** Its part of `costUsd` for traffic between the hosts. */
  readonly trafficUsd: number | null;
  readonly hostSeconds: number | null;
  readonly clientHourlyUsd: number | null;
  readonly serverHourlyUsd: number | null;
  readonly trafficBytes: number | null;
  readonly warnings: readonly string[];
}
