/**
 * The tags of everything that is launched. Teardown, reaper and sweeper find resources by these tags and never by a
 * stored id. A host reads `expires-at` from the instance metadata service, which allows no slash in a key.
 */
export const ResourceTag = {
  /** Name of the stack that owns the resource; the roles allow no action on a resource without it. */
  stack: 'network-benchmark:stack',
  runId: 'network-benchmark:run-id',
  pairId: 'network-benchmark:pair-id',
  /** `client` or `server`. */
  role: 'network-benchmark:role',
  /** ISO 8601 instant in UTC; after it the sweeper removes the resource, and a host shuts itself down. */
  expiresAt: 'network-benchmark:expires-at',
} as const;

/** On a bucket that is emptied and deleted together with the stack. */
export const EMPTIED_WITH_STACK_TAG = 'network-benchmark:emptied-with-stack';

/** Prefix of the names of all resources of a pair. Where ARNs contain names, the roles allow no other ones. */
export const RESOURCE_NAME_PREFIX = 'network-benchmark-';
