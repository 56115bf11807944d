/** Which of a pair's hosts: the client opens the connections, the server listens. */
export type HostRole = 'client' | 'server';
export const HOST_ROLES = ['client', 'server'] as const satisfies readonly HostRole[];
