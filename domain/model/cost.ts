/** Prices by what is charged, and what a run has cost: `reports/<run id>/cost.json`. */
import type { HostRole } from './host-role';

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

type Place = 'Zone' | 'ZoneId' | 'SubnetId' | 'VpcId' | 'ImageId';
/** Where the hosts of a pair were launched, and from what; nothing where none was. */
export interface LaunchedPlaces extends Readonly<Partial<Record<`${HostRole}${Place}`, string>>> {
  readonly isDisplaced?: boolean;
}

/** What the hosts of a pair or a measurement were, and did. */
interface HostCost {
  /** Charged seconds of all hosts together, those of a refused launch included. */
  readonly hostSeconds: number | null;
  readonly clientHourlyUsd: number | null;
  readonly serverHourlyUsd: number | null;
  /** Sent by both hosts while something was measured. */
  readonly trafficBytes: number | null;
  /** Why a part is unknown or not exact. */
  readonly warnings: readonly string[];
}

/** With an equal part of what the run costs as a whole, which is its summary and its queries. */
export interface PairCost extends LaunchedPlaces, HostCost {
  readonly pairId: string;
  /** When its hosts were launched; absent where none was. ISO 8601, UTC. */
  readonly launchedAt?: string;
  /** When its hosts were terminated, up to which EC2 charges; absent where that is not known. */
  readonly goneAt?: string;
  /** As forecast before the first launch; null where the store has no forecast. */
  readonly expected: PriceSplit | null;
  readonly upper: PriceSplit | null;
  readonly cost: PriceSplit;
}

/** What a measurement caused itself, and its share of what its pair costs as a whole. */
export interface MeasurementCost extends HostCost {
  readonly measurementId: string;
  readonly expectedUsd: number | null;
  readonly costUsd: number | null;
  /** Its part of `costUsd` for the hosts, with their disks, public addresses and CPU credits. */
  readonly hostsUsd: number | null;
  /** Its part of `costUsd` for traffic between the hosts. */
  readonly trafficUsd: number | null;
}
