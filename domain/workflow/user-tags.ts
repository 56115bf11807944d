/**
 * Tags of the user's own, for the allocation of costs, or because a policy of the organisation requires them. Those of
 * the deployment are on the stack and on everything that a run makes, those of a plan on everything that its run makes.
 */
import * as z from 'zod';
import { ResourceTag } from './resource-tags';

/**
 * The characters that are allowed everywhere. A host reads its tags from the instance metadata, with which EC2 allows
 * neither a space nor a slash in a key (EC2 guide, "View tags for your EC2 instances using instance metadata"); Elastic
 * Load Balancing allows no comma. `aws:` is AWS's own prefix in any case; `network-benchmark:` and `Name` are ours.
 */
export const TAG_KEY = /^(?![aA][wW][sS]:|network-benchmark:|Name$|\.{1,2}$|_index$)[A-Za-z0-9+=._:@-]{1,128}$/;

/** EC2 allows an empty value. CloudFormation does not, and puts the deployment's tags on the stack. */
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

/** EC2 and Elastic Load Balancing allow 50 tags on a resource. A host has all of ours, and a name. */
export const MAX_USER_TAGS = 50 - (Object.keys(ResourceTag).length + 1);

/** The plan is the more particular of the two, so its value counts where both have a key. */
export function mergedTags(deployment: UserTags, plan: UserTags = {}): UserTags {
  return { ...deployment, ...plan };
}
