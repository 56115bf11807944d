import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Names and ARNs of the two state machines before they exist: handlers that look at executions are part of them. */
export class MachineNames {
  readonly run: string;
  readonly pair: string;
  readonly runArn: string;
  readonly pairArn: string;

  constructor(scope: Construct) {
    const stack = Stack.of(scope);
    const arn = (resource: string, resourceName: string) =>
      stack.formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    this.run = `${stack.stackName}-network-benchmark`;
    this.pair = `${stack.stackName}-pair-benchmark`;
    this.runArn = arn('stateMachine', this.run);
    this.pairArn = arn('stateMachine', this.pair);
    this.pairExecutionsArn = arn('execution', `${this.pair}:*`);
    this.runExecutionsArn = arn('execution', `${this.run}:*`);
  }

  readonly pairExecutionsArn: string;
  readonly runExecutionsArn: string;
}
