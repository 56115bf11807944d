/** What the hosts of a pair cost, and a load balancer between them, by what is known of their lives. */
import { zip } from '../maths/elements';
import { sumOrUnknown, type LaunchedPlaces, type PriceSplit } from '../model/cost';
import type { HostRole } from '../model/host-role';
import type { PlannedPair, PlannedRun } from '../model/planned-run';
import { surplusCreditsUsd, unlimitedTypes } from './cpu-credits';
import { instanceUsdPerHour, priceOfHost, priceOfLoadBalancer } from './price-pair';
import { priceSplit, sumOfSplits, unknownWhereCharged } from './prices/price-split';
import type { PriceTable } from './prices/price-table';
import { range } from './range';

/** A host that was launched; one that is still there, or whose end nobody recorded, has no `goneAt`. */
export interface HostLife {
  readonly role: HostRole;
  readonly instanceType: string;
  /** ISO 8601, UTC. */
  readonly launchedAt: string;
  readonly goneAt?: string;
}

/** What is known of the hosts of a pair, those of refused launches included. */
export interface PairLife extends LaunchedPlaces {
  readonly hosts: readonly HostLife[];
  /** Whether its launch was ever tried. */
  readonly isTried: boolean;
  /** Whether there can be no hosts besides these. */
  readonly areAllKnown: boolean;
  /** Why something of this is unknown, or not exact. */
  readonly warnings: readonly string[];
}

/**
 * EC2 charges by the second from the state `running` until a host is terminated, and for 60 s at least ("Amazon EC2
 * billing and purchasing options", EC2 User Guide). It does not report when a host began to run, some seconds after
 * its launch, which is counted from instead.
 */
const LEAST_CHARGED_SECONDS = 60;

/** null while it is not known when the host was terminated. */
export function secondsCharged({ launchedAt, goneAt }: HostLife): number | null {
  if (goneAt === undefined) return null;
  return Math.max(LEAST_CHARGED_SECONDS, Math.ceil((Date.parse(goneAt) - Date.parse(launchedAt)) / 1000));
}

export function costOfHosts(
  { ends }: PlannedPair,
  life: PairLife,
  seconds: readonly (number | null)[],
  prices: PriceTable,
): PriceSplit {
  const unknown = priceSplit({ instances: null, publicAddresses: null });
  return sumOfSplits([
    life.areAllKnown ? priceSplit({}) : unknown,
    ...zip(life.hosts, seconds).map(([{ role, instanceType }, charged]) => {
      const price = priceOfHost(charged ?? LEAST_CHARGED_SECONDS, instanceType, ends?.[role], prices);
      return charged === null ? unknownWhereCharged(price) : price;
    }),
  ]);
}

/** What the hosts spent of them is in no record; NULL where it is not known how long they lived. */
export function costOfCpuCredits(
  pair: PlannedPair,
  { hosts, areAllKnown }: PairLife,
  seconds: readonly (number | null)[],
  { run, prices }: { readonly run: Pick<PlannedRun, 'instanceTypes'>; readonly prices: PriceTable },
): { readonly price: PriceSplit; readonly warnings: readonly string[] } {
  const unlimited = unlimitedTypes(pair);
  if (unlimited.length === 0 || (hosts.length === 0 && areAllKnown)) return { price: priceSplit({}), warnings: [] };
  const usd = zip(hosts, seconds)
    .filter(([{ instanceType }]) => unlimited.includes(instanceType))
    .map(([{ instanceType: type }, charged]) =>
      charged === null ? null : surplusCreditsUsd(charged, run.instanceTypes[type], 'upper', prices),
    );
  const cpuCredits = areAllKnown ? sumOrUnknown(usd) : null;
  const warning = 'the price of its CPU credits is the most that they can cost: what a host spent was not measured';
  return { price: priceSplit({ cpuCredits }), warnings: cpuCredits === null ? [] : [warning] };
}

/** It is made for the first measurement, when both hosts are there, and removed after them. */
export function costOfLoadBalancer(
  pair: PlannedPair,
  hasBegun: boolean,
  { hosts, areAllKnown }: PairLife,
  seconds: readonly (number | null)[],
  prices: PriceTable,
): { readonly price: PriceSplit; readonly warnings: readonly string[] } {
  if (pair.path !== 'nlb' || (hosts.length === 0 && areAllKnown)) return { price: priceSplit({}), warnings: [] };
  const unknown = priceSplit({ loadBalancer: null });
  if (!hasBegun) {
    return { price: unknown, warnings: ['whether its load balancer was made is not recorded: nothing was measured'] };
  }
  const known = seconds.filter((each) => each !== null);
  if (known.length < seconds.length) return { price: unknown, warnings: [] };
  const longest = known.toSorted((one, other) => other - one)[0] ?? 0;
  const living = range(() => longest);
  return { price: priceOfLoadBalancer(living, pair, prices).expected, warnings: [] };
}

export function withoutPrice({ hosts }: PairLife, prices: PriceTable): string[] {
  const types = new Set(hosts.map(({ instanceType }) => instanceType));
  return [...types]
    .filter((type) => instanceUsdPerHour(type, prices) === null)
    .map((type) => `${type} has no price: plan.prices.instanceUsdPerHour can give one`);
}
