/**
 * The tags of all launched resources. Teardown, reaper and sweeper find resources by these tags, never by a stored id.
 * A host reads `expires-at` from the instance metadata service, which allows no slash in a key.
 */
export const ResourceTag = {
  /** The name of the stack that owns the resource; the IAM roles allow no action on a resource without it. */
  stack: 'network-benchmark:stack',
  runId: 'network-benchmark:run-id',
  pairId: 'network-benchmark:pair-id',
  /** `client` or `server`. */
  role: 'network-benchmark:role',
  /** ISO 8601 in UTC; after this time the sweeper removes the resource, and a host shuts itself down. */
  expiresAt: 'network-benchmark:expires-at',
} as const;

/** Marks a bucket that is emptied and deleted together with the stack. */
export const EMPTIED_WITH_STACK_TAG = 'network-benchmark:emptied-with-stack';

/** The name prefix of all resources of a pair. Where ARNs contain names, the IAM roles are limited to this prefix. */
export const RESOURCE_NAME_PREFIX = 'network-benchmark-';
