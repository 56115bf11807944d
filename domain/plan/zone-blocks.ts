/**
 * Chooses the subnets in which fresh pairs start. Zones lie at different distances from each other, so conditions can
 * only be compared between the same zones. Within one repetition, as many pairs of the plan as possible are therefore
 * launched in the same subnets; they are a block, in the sense of the design of experiments. The next repetition takes
 * the next subnets that all members of the block have.
 *
 * | a pair of the plan                                         | its block                                             |
 * | ---------------------------------------------------------- | ----------------------------------------------------- |
 * | names no subnet or zone                                    | all other such pairs that share subnets with it       |
 * | shares no subnet with these, because of its zone relation, | another one, with the pairs that share subnets with   |
 * | or because its types are offered in other zones            | it                                                    |
 * | names a subnet or a zone                                   | the pairs that name the same ones                     |
 */
import { groupBy } from '../maths/elements';
import type { PairSubnets } from '../model/planned-run';
import type { PairPlan } from './schema';

/** A pair of the plan with the subnets that it can be launched in, of which there may be none. */
export interface PlaceablePair {
  readonly pair: Pick<PairPlan, 'client' | 'server'>;
  readonly candidateSubnets: readonly PairSubnets[];
}

interface Block<Member> {
  readonly members: readonly Member[];
  /** The subnets (`placeOf`) that all members share, at least one. */
  readonly places: readonly string[];
}

/**
 * @returns for each pair, in the order of `pairs`, a function from the repetition (from 1) to the subnets in which to
 *   try its launch, in that order: first the subnets of its block
 */
export function candidatesByRepetition(pairs: readonly PlaceablePair[]): ((repetition: number) => PairSubnets[])[] {
  const blocks = [...groupBy(pairs, namedPlaces).values()].flatMap(blocksOf);
  const placesOf = new Map(blocks.flatMap(({ members, places }) => members.map((member) => [member, places] as const)));
  return pairs.map((pair) => (repetition) => {
    const places = placesOf.get(pair) ?? [];
    const first = places[(repetition - 1) % places.length];
    const rotated = rotate(pair.candidateSubnets, repetition - 1);
    const isFirst = (subnets: PairSubnets) => placeOf(subnets) === first;
    return [...rotated.filter(isFirst), ...rotated.filter((subnets) => !isFirst(subnets))];
  });
}

function namedPlaces({ pair }: PlaceablePair): string {
  const named = [pair.client, pair.server].map((end) => [end?.subnetId ?? null, end?.zoneId ?? null]);
  return JSON.stringify(named);
}

/** A server's place is its zone, because the path `peering` uses other subnets and is compared with other paths. */
function placeOf({ client, server }: PairSubnets): string {
  return `${client.subnetId} ${server.zone}`;
}

/** The pairs that have the most common place form a block; the rest form blocks among themselves. */
function blocksOf<Member extends PlaceablePair>(pairs: readonly Member[]): Block<Member>[] {
  const placed = pairs.map((member) => ({ member, places: new Set(member.candidateSubnets.map(placeOf)) }));
  const havingOf = groupBy(
    placed.flatMap((each) => [...each.places].map((place) => ({ place, each }))),
    ({ place }) => place,
  );
  const [most] = [...havingOf.values()].sort((one, other) => other.length - one.length);
  if (most === undefined) return [];
  const having = most.map(({ each }) => each);
  const [first, ...others] = having;
  const places = [...(first?.places ?? [])].filter((place) => others.every((other) => other.places.has(place)));
  const members = having.map(({ member }) => member);
  return [{ members, places }, ...blocksOf(pairs.filter((pair) => !members.includes(pair)))];
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
