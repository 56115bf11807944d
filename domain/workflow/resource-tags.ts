/**
 * The tags every launched thing carries. Teardown, reaper and sweeper find things by these, never by remembered id.
 * No slash in a key: the host reads `expires-at` through the instance metadata service, which allows none.
 */
export const ResourceTag = {
  /** Name of the stack that owns the resource; the roles may touch nothing without it. */
  stack: 'network-benchmark:stack',
  runId: 'network-benchmark:run-id',
  pairId: 'network-benchmark:pair-id',
  /** `client` or `server`. */
  role: 'network-benchmark:role',
  /** ISO 8601 instant in UTC after which the sweeper removes the resource and the host shuts itself down. */
  expiresAt: 'network-benchmark:expires-at',
} as const;

/** What the names of everything that is made for a pair begin with; the roles may make nothing else where a service has names in its ARNs. */
export const RESOURCE_NAME_PREFIX = 'network-benchmark-';
