/**
 * Tags that users set, to allocate costs or because a policy of their organisation requires them. Tags of the
 * deployment are put on the stack and on all resources of a run, tags of a plan only on the resources of its run.
 */
import * as z from 'zod';
import { ResourceTag } from './resource-tags';

/**
 * Allows only characters that every service accepts. Hosts read their tags from the instance metadata, for which EC2
 * allows neither a space nor a slash in a key (EC2 guide, "View tags for your EC2 instances using instance metadata");
 * Elastic Load Balancing allows no comma. AWS reserves `aws:` in any case; this project uses `network-benchmark:` and
 * `Name`.
 */
export const TAG_KEY = /^(?![aA][wW][sS]:|network-benchmark:|Name$|\.{1,2}$|_index$)[A-Za-z0-9+=._:@-]{1,128}$/;

/** A value can't be empty, because CloudFormation, which puts the deployment's tags on the stack, does not allow it. */
export const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+@-]{1,256}$/u;

export const TAG_KEY_WORDS =
  '1 to 128 letters (A-Z, a-z), digits and + = . _ : @ - (no space or slash, because hosts read their tags from the ' +
  'instance metadata), other than Name and what begins with aws: or network-benchmark:';
export const TAG_VALUE_WORDS = '1 to 256 letters, digits, spaces and + = . _ : / @ -';
export const TAG_WORDS = `keys of ${TAG_KEY_WORDS}, and values of ${TAG_VALUE_WORDS}`;

export const userTags = z.record(
  z.string().regex(TAG_KEY).describe(TAG_KEY_WORDS),
  z.string().regex(TAG_VALUE).describe(TAG_VALUE_WORDS),
);

export type UserTags = Readonly<z.infer<typeof userTags>>;

/** EC2 and Elastic Load Balancing allow 50 tags on a resource. A host also has every `ResourceTag` and a name. */
export const MAX_USER_TAGS = 50 - (Object.keys(ResourceTag).length + 1);

/** Merges the tags. The plan's value wins where both have a key, because the plan is more specific. */
export function mergedTags(deployment: UserTags, plan: UserTags = {}): UserTags {
  return { ...deployment, ...plan };
}
