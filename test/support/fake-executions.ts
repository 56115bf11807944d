/** Step Functions' executions in memory. */
import type { Execution } from '../../lambdas/adapters/sfn';
import { DAY } from './planned-run';

export class FakeExecutions {
  readonly executions = new Map<string, Execution>();
  readonly stopped: string[] = [];
  /** ARNs of those of which a task has succeeded. */
  readonly succeededTasks = new Set<string>();

  add(
    stateMachineArn: string,
    name: string,
    status: Execution['status'],
    more: { error?: string; cause?: string; output?: string; startedAt?: Date; endedAt?: Date } = {},
  ) {
    const arn = `${stateMachineArn}:${name}`;
    const startedAt = new Date(`${DAY}T09:59:59.500Z`);
    this.executions.set(arn, { name, arn, status, startedAt, ...more });
  }

  readonly describeExecution = async (stateMachineArn: string, name: string): Promise<Execution | undefined> =>
    this.executions.get(`${stateMachineArn}:${name}`);

  readonly hasSucceededTask = async (stateMachineArn: string, name: string): Promise<boolean> =>
    this.succeededTasks.has(`${stateMachineArn}:${name}`);

  readonly listRunningExecutions = async (stateMachineArn: string): Promise<string[]> =>
    [...this.executions.values()]
      .filter(({ arn, status }) => status === 'RUNNING' && arn.startsWith(`${stateMachineArn}:`))
      .map(({ name }) => name);

  readonly listUnsuccessfulExecutions = async (stateMachineArn: string, since: Date): Promise<string[]> =>
    [...this.executions.values()]
      .filter(({ arn, status }) => arn.startsWith(`${stateMachineArn}:`) && !['RUNNING', 'SUCCEEDED'].includes(status))
      .filter(({ endedAt }) => endedAt !== undefined && endedAt >= since)
      .map(({ name }) => name);

  readonly stopExecution = async (
    stateMachineArn: string,
    name: string,
    error: string,
    cause: string,
  ): Promise<void> => {
    this.stopped.push(name);
    this.add(stateMachineArn, name, 'ABORTED', { error, cause });
  };
}
