/**
 * Names and tags of the resources of a pair. A repeated call finds its own earlier resources by name, whereas teardown,
 * reaper and sweeper find all resources of a pair by tag.
 */
import { createHash } from 'node:crypto';
import type { PlannedRun } from '../../domain/model/planned-run';
import { RESOURCE_NAME_PREFIX, ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';

export interface PairIdentity {
  readonly stackName: string;
  readonly runId: string;
  readonly pairId: string;
}

export function pairScope({ stackName, runId, pairId }: PairIdentity): Tags {
  return { [ResourceTag.stack]: stackName, [ResourceTag.runId]: runId, [ResourceTag.pairId]: pairId };
}

/** The user's tags and ours. A pair always gets the same tags. */
export function pairTags(
  pair: PairIdentity,
  { tags }: Pick<PlannedRun, 'tags'>,
  launchedAt: Date,
  lifetimeSeconds: number,
): Tags {
  const expiresAt = new Date(launchedAt.getTime() + lifetimeSeconds * 1000);
  return { ...tags, ...pairScope(pair), [ResourceTag.expiresAt]: expiresAt.toISOString() };
}

/** The name of the pair's placement group and security group, for which EC2 allows 255 characters. */
export function pairResourceName({ runId, pairId }: PairIdentity): string {
  return `${RESOURCE_NAME_PREFIX}${runId}-${pairId}`;
}

export function loadBalancerGroupName(pair: PairIdentity): string {
  return `${pairResourceName(pair)}-load-balancer`;
}

export function loadBalancerName(pair: PairIdentity): string {
  return shortName([pair.stackName, pair.runId, pair.pairId]);
}

export function targetGroupName(pair: PairIdentity, port: number): string {
  return shortName([pair.stackName, pair.runId, pair.pairId, String(port)]);
}

/** Load balancers and target groups have names of at most 32 characters, but a run id alone can be longer. */
function shortName(parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${RESOURCE_NAME_PREFIX}${digest.slice(0, 32 - RESOURCE_NAME_PREFIX.length)}`;
}
