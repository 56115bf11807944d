/** What the things of a pair are called: a repeated call finds its own work by these, never anybody else's. */
import { createHash } from 'node:crypto';
import { RESOURCE_NAME_PREFIX } from '../../domain/workflow/resource-tags';

export interface PairIdentity {
  readonly stackName: string;
  readonly runId: string;
  readonly pairId: string;
}

/** Of placement group and security group: EC2 takes 255 characters. */
export function pairResourceName({ runId, pairId }: PairIdentity): string {
  return `${RESOURCE_NAME_PREFIX}${runId}-${pairId}`;
}

/** Of the security group of the pair's load balancer. */
export function loadBalancerGroupName(pair: PairIdentity): string {
  return `${pairResourceName(pair)}-load-balancer`;
}

export function loadBalancerName(pair: PairIdentity): string {
  return shortName([pair.stackName, pair.runId, pair.pairId]);
}

export function targetGroupName(pair: PairIdentity, port: number): string {
  return shortName([pair.stackName, pair.runId, pair.pairId, String(port)]);
}

/** Load balancers and target groups have 32 characters, fewer than a run's id may have. */
function shortName(parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${RESOURCE_NAME_PREFIX}${digest.slice(0, 32 - RESOURCE_NAME_PREFIX.length)}`;
}
