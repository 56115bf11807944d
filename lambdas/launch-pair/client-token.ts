/** RunInstances' client token: the same attempt at the same host asks for the same instance, however often it asks. */
import { createHash } from 'node:crypto';
import type { HostRole } from '../../domain/model/host-role';

export interface LaunchAttempt {
  readonly runId: string;
  readonly pairId: string;
  readonly role: HostRole;
  readonly zone: string;
  readonly attempt: number;
}

/** 64 hexadecimal digits, EC2's limit: a run id alone may be longer. */
export function clientToken({ runId, pairId, role, zone, attempt }: LaunchAttempt): string {
  return createHash('sha256').update([runId, pairId, role, zone, attempt].join('\n')).digest('hex');
}
