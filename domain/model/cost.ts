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

/** Prices in USD. A part that is null is unknown, and so is every sum that contains it. */
export type PriceSplit = Readonly<Record<(typeof PRICE_PARTS)[number], number | null>>;

export function totalUsd(split: PriceSplit): number | null {
  return sumOrUnknown(Object.values(split));
}

export function sumOrUnknown(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

/** Whose prices a figure rests on, and of which days, in words; absent in documents of 0.3.0. */
interface Priced {
  readonly priceList?: string;
}

/** What a run cost. All prices are, like the forecast, before tax, free tier and discounts. */
export interface RunCost extends Priced {
  readonly schema: 'network-benchmark.cost.v1';
  readonly runId: string;
  /** The sum over the pairs; null if unknown. */
  readonly costUsd: number | null;
  readonly pairs: readonly PairCost[];
  readonly measurements: readonly MeasurementCost[];
}

type Place = 'Zone' | 'ZoneId' | 'SubnetId' | 'VpcId' | 'ImageId';
/** Where the hosts of a pair were launched, and from which image; empty if none was launched. */
export interface LaunchedPlaces extends Readonly<Partial<Record<`${HostRole}${Place}`, string>>> {
  readonly isDisplaced?: boolean;
}

interface HostCost extends Priced {
  /** Charged seconds of all hosts, including those of a refused launch. */
  readonly hostSeconds: number | null;
  readonly clientHourlyUsd: number | null;
  readonly serverHourlyUsd: number | null;
  /** Bytes that both hosts sent during measurements. */
  readonly trafficBytes: number | null;
  /** Why a figure is unknown or not exact. */
  readonly warnings: readonly string[];
}

/** The cost of a pair, including an equal share of the run's own cost (its summary and its queries). */
export interface PairCost extends LaunchedPlaces, HostCost {
  readonly pairId: string;
  /** When its hosts were launched, ISO 8601, UTC; absent if none was. */
  readonly launchedAt?: string;
  /** When its hosts were terminated, until when EC2 charges; absent if that is unknown. */
  readonly goneAt?: string;
  /** As forecast before the first launch; null if the store has no forecast. */
  readonly expected: PriceSplit | null;
  readonly upper: PriceSplit | null;
  readonly cost: PriceSplit;
}

/** The cost that a measurement caused itself, and its share of its pair's shared cost. */
export interface MeasurementCost extends HostCost {
  readonly measurementId: string;
  readonly expectedUsd: number | null;
  readonly costUsd: number | null;
  /** Its part of `costUsd` for the hosts, with their disks, public addresses and CPU credits. */
  readonly hostsUsd: number | null;
  /** Its part of `costUsd` for traffic between the hosts. */
  readonly trafficUsd: number | null;
}

/** The pairs of a run have one list. */
export const priceListOf = (pairCosts: readonly PairCost[] = []) => pairCosts[0]?.priceList ?? 'the prices of the plan';
