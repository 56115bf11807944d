/**
 * The tags of everything that is launched. Teardown, reaper and sweeper find resources by these tags and never by a
 * stored id. A key has no slash, because the instance metadata service, through which a host reads `expires-at`, allows
 * none.
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

/**
 * Prefix of the names of everything that is created for a pair. Where a service has names in its ARNs, the roles allow
 * the creation of nothing else.
 */
export const RESOURCE_NAME_PREFIX = 'network-benchmark-';
