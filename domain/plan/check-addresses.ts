/** Whether the subnets that a plan names have an address for each of its hosts. */
import { HOST_ROLES } from '../model/host-role';
import type { PlanProblem } from '../workflow/error-names';
import { sum } from '../maths/statistics';
import { pairCount } from './expand-plan';
import { endPath, type NamedSubnet, type Offer } from './offer';
import type { ReadPlan } from './read-plan';
import type { PairPlan } from './schema';

/**
 * Named subnets without addresses for all hosts that may be there at the same time. Each is reported where the plan names
 * it first.
 */
export function checkAddresses(
  { fields, pairs }: ReadPlan,
  subnets: Iterable<NamedSubnet>,
  instanceTypes: Offer['instanceTypes'],
): PlanProblem[] {
  // Where a field can't be read, every pair is launched at least once, and at least one at a time.
  const { concurrency = 1, repetitions = 1, measurements } = fields;
  const freshPairs = (pair: PairPlan | undefined) =>
    pair === undefined || measurements === undefined
      ? repetitions
      : pairCount({ repetitions, pairs: [pair], measurements }, instanceTypes);
  return [...subnets].flatMap(({ subnetId: value, availableAddressCount }) => {
    const naming = pairs.map((pair) => HOST_ROLES.filter((role) => pair?.[role]?.subnetId === value));
    const pairCountWith = (hosts: number) =>
      sum(pairs.filter((_, index) => naming[index]?.length === hosts).map(freshPairs));
    const withBoth = Math.min(concurrency, pairCountWith(2));
    const needed = 2 * withBoth + Math.min(concurrency - withBoth, pairCountWith(1));
    const pairIndex = naming.findIndex(({ length }) => length > 0);
    const [role] = naming[pairIndex] ?? [];
    if (role === undefined || needed <= availableAddressCount) return [];
    const allowed =
      `a subnet with at least ${needed} free ${needed === 1 ? 'address' : 'addresses'}, one for each host that can be in it at the same time (this one ` +
      `has ${availableAddressCount})`;
    return [{ path: endPath(pairIndex, role, 'subnetId'), value, allowed }];
  });
}
