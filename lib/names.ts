import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export type MachineNames = ReturnType<typeof machineNames>;

/**
 * Names and ARNs of the state machines, known before these exist, because machines and handlers refer to each
 * other.
 */
export function machineNames(scope: Construct) {
  const stack = Stack.of(scope);
  const arn = (resource: string, resourceName: string) =>
    stack.formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  const run = `${stack.stackName}-network-benchmark`;
  const pair = `${stack.stackName}-pair-benchmark`;
  return {
    run,
    pair,
    laterLooks: `${stack.stackName}-later-looks`,
    runArn: arn('stateMachine', run),
    pairArn: arn('stateMachine', pair),
    runExecutionsArn: arn('execution', `${run}:*`),
    pairExecutionsArn: arn('execution', `${pair}:*`),
  };
}

/** Converts camel case to kebab case: `PlanRun` and `planRun` become `plan-run`. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
