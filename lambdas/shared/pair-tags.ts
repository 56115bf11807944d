/** The tags that everything of a pair carries. */
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type { PairIdentity } from './resource-names';

/** By these teardown, reaper and sweeper find what belongs to a pair. */
export function pairScope({ stackName, runId, pairId }: PairIdentity): Tags {
  return { [ResourceTag.stack]: stackName, [ResourceTag.runId]: runId, [ResourceTag.pairId]: pairId };
}

export function pairTags(pair: PairIdentity, launchedAt: Date, lifetimeSeconds: number): Tags {
  const expiresAt = new Date(launchedAt.getTime() + lifetimeSeconds * 1000);
  return { ...pairScope(pair), [ResourceTag.expiresAt]: expiresAt.toISOString() };
}
