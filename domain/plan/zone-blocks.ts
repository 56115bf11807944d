/**
 * The subnets in which fresh pairs start. Zones lie at different distances from each other, so conditions can only be
 * compared between the same zones: within one repetition, all pairs of the plan that can be are launched in the same
 * subnets. They are a block, in the sense of the design of experiments. The next repetition takes the next subnets that
 * all members of the block have.
 *
 * | a pair of the plan                                          | its block                                        |
 * | ----------------------------------------------------------- | ------------------------------------------------ |
 * | names no place                                              | all others that name none and have a place in    |
 * |                                                             | common with it                                   |
 * | has no place in common with these, because of its zone      | another one, with those that have a place in     |
 * | relation, or because its types are offered in other zones   | common with it                                   |
 * | names a subnet or a zone                                    | the pairs that name the same ones                |
 */
import { groupBy } from '../maths/elements';
import type { PairSubnets } from '../model/planned-run';
import type { PairPlan } from './schema';

/** A pair of the plan, with the subnets that it can be launched in; none for a pair that can't be launched. */
export interface PlaceablePair {
  readonly pair: Pick<PairPlan, 'client' | 'server'>;
  readonly candidateSubnets: readonly PairSubnets[];
}

interface Block<Member> {
  readonly members: readonly Member[];
  /** The places that every member has, at least one. */
  readonly places: readonly string[];
}

/**
 * @returns for each pair, in the order of `pairs`, the subnets in which a repetition (from 1) tries to launch it, in
 *   that order. The first ones are those of its block.
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

/**
 * The server is placed by its zone and not by its subnet, because the second network has other subnets: the path
 * `peering` is compared with the others.
 */
function placeOf({ client, server }: PairSubnets): string {
  return `${client.subnetId} ${server.zone}`;
}

/** The place that most pairs have makes a block of these; the rest make blocks among themselves. */
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
