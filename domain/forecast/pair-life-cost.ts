/** Prices the hosts of a pair, and a load balancer between them, by what is known of how long they ran. */
import { largest } from '../maths/statistics';
import { sumOrUnknown, type LaunchedPlaces, type PriceSplit } from '../model/cost';
import type { HostRole } from '../model/host-role';
import type { PlannedPair, PlannedRun } from '../model/planned-run';
import { instanceUsdPerHour, priceOfHost, priceOfLoadBalancer, surplusCreditsUsd, unlimitedTypes } from './price-pair';
import type { PriceTable } from './prices/price-table';
import { priceSplit, sumOfSplits, unknownWhereCharged } from './range';

/** A launched host; `goneAt` is absent if it still runs, or nobody recorded its end. */
export interface HostLife {
  readonly role: HostRole;
  readonly instanceType: string;
  /** ISO 8601, UTC. */
  readonly launchedAt: string;
  readonly goneAt?: string;
}

/** What is known of the hosts of a pair, including those of refused launches. */
export interface PairLife extends LaunchedPlaces {
  readonly hosts: readonly HostLife[];
  /** Whether a launch was ever tried. */
  readonly isTried: boolean;
  /** Whether the pair can have no other hosts than these. */
  readonly areAllKnown: boolean;
  /** Why any of this is unknown or not exact. */
  readonly warnings: readonly string[];
}

interface LifeInput extends Pick<PairLife, 'areAllKnown'> {
  readonly pair: PlannedPair;
  /** `seconds` are those that EC2 charges; null if it is not known when the host was terminated. */
  readonly hosts: readonly (HostLife & { readonly seconds: number | null })[];
  /** Whether anything was measured. */
  readonly hasBegun: boolean;
  readonly instanceTypes: PlannedRun['instanceTypes'];
  readonly prices: PriceTable;
}

export function costOfLife(life: PairLife, others: Omit<LifeInput, 'areAllKnown' | 'hosts'>) {
  const { areAllKnown } = life;
  const hosts = life.hosts.map((host) => ({ ...host, seconds: secondsCharged(host) }));
  const input = { ...others, hosts, areAllKnown };
  const isFree = hosts.length === 0 && areAllKnown;
  const [balancer, credits] = isFree ? [charge({}), charge({})] : [costOfLoadBalancer(input), costOfCpuCredits(input)];
  return {
    hosts: sumOfSplits([costOfHosts(input), credits.price]),
    loadBalancer: balancer.price,
    hostSeconds: areAllKnown ? sumOrUnknown(hosts.map(({ seconds }) => seconds)) : null,
    warnings: [...life.warnings, ...balancer.warnings, ...credits.warnings, ...withoutPrice(input)],
  };
}

/**
 * EC2 charges by the second from the state `running` until a host is terminated, and for 60 s at least ("Amazon EC2
 * billing and purchasing options", EC2 User Guide). EC2 does not report when a host began to run, so the seconds are
 * counted from its launch, which is slightly earlier.
 */
const LEAST_CHARGED_SECONDS = 60;

function secondsCharged({ launchedAt, goneAt }: HostLife): number | null {
  if (goneAt === undefined) return null;
  return Math.max(LEAST_CHARGED_SECONDS, Math.ceil((Date.parse(goneAt) - Date.parse(launchedAt)) / 1000));
}

function costOfHosts({ pair, hosts, areAllKnown, prices }: LifeInput): PriceSplit {
  const others = areAllKnown ? {} : { instances: null, publicAddresses: null };
  const known = hosts.map(({ role, instanceType, seconds }) => {
    const price = priceOfHost(seconds ?? LEAST_CHARGED_SECONDS, instanceType, pair.ends?.[role], prices);
    return seconds === null ? unknownWhereCharged(price) : price;
  });
  return sumOfSplits([priceSplit(others), ...known]);
}

const charge = (parts: Partial<PriceSplit>, ...warnings: string[]) => ({ price: priceSplit(parts), warnings });

/** No record says how many surplus CPU credits the hosts spent, so the most that they can cost is taken. */
function costOfCpuCredits({ pair, hosts, areAllKnown, instanceTypes, prices }: LifeInput) {
  const unlimited = unlimitedTypes(pair);
  if (unlimited.length === 0) return charge({});
  const usd = hosts
    .filter(({ instanceType }) => unlimited.includes(instanceType))
    .map(({ instanceType: type, seconds }) =>
      seconds === null ? null : surplusCreditsUsd(seconds, instanceTypes[type], 'upper', prices),
    );
  const cpuCredits = areAllKnown ? sumOrUnknown(usd) : null;
  if (cpuCredits === null) return charge({ cpuCredits });
  const warning =
    "the price of the pair's CPU credits is the most that they can cost, because nobody measured what the hosts spent";
  return charge({ cpuCredits }, warning);
}

/** The load balancer is created for the first measurement, when both hosts run, and removed after the last. */
function costOfLoadBalancer({ pair, hasBegun, hosts, prices }: LifeInput) {
  if (pair.path !== 'nlb') return charge({});
  if (!hasBegun) {
    const warning =
      "the price of the pair's load balancer is unknown: nothing was measured, and no record says whether it was created";
    return charge({ loadBalancer: null }, warning);
  }
  const known = hosts.flatMap(({ seconds }) => seconds ?? []);
  if (known.length < hosts.length) return charge({ loadBalancer: null });
  return charge(priceOfLoadBalancer(largest([0, ...known]), pair, prices));
}

function withoutPrice({ hosts, prices }: LifeInput): string[] {
  const types = new Set(hosts.map(({ instanceType }) => instanceType));
  return [...types]
    .filter((type) => instanceUsdPerHour(type, prices) === null)
    .map((type) => `${type} has no price; plan.prices.instanceUsdPerHour can set one`);
}
