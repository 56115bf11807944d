/** What the two state machines may do: the calls that their states make, and what those calls imply. */
import { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import {
  OWN_TAG_REASON,
  callsWithoutResource,
  deleteOwnPlacementGroups,
  ec2Arn,
  onExecutions,
  terminateOwnHosts,
} from '../grants';
import type { Grant } from '../least-privilege';
import type { MachineNames } from '../machine-names';

/** What the states of the run's machine call. */
export interface RunCallees {
  readonly machines: MachineNames;
  readonly planRun: IFunction;
  readonly summariseRun: IFunction;
}

/** What the states of the pair's machine call. */
export interface PairCallees {
  /** Names of the deployed documents, by the name of their folder. */
  readonly documentNames: Readonly<Record<string, string>>;
  readonly launchPair: IFunction;
  readonly connectPair: IFunction;
  readonly analyseMeasurement: IFunction;
  readonly disconnectPair: IFunction;
}

export function networkBenchmarkGrants(scope: Construct, callees: RunCallees): Grant[] {
  return [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [callees.planRun.functionArn, callees.summariseRun.functionArn],
    },
    { actions: ['states:StartExecution'], resources: [callees.machines.pairArn] },
    onExecutions(['states:DescribeExecution', 'states:StopExecution'], callees.machines.pairExecutionsArn),
    {
      // Step Functions learns from this rule that a pair's execution, which it waits for, has ended.
      actions: ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
      resources: [
        Stack.of(scope).formatArn({
          service: 'events',
          resource: 'rule',
          resourceName: 'StepFunctionsGetEventsForStepFunctionsExecutionRule',
        }),
      ],
    },
  ];
}

export function pairBenchmarkGrants(scope: Construct, callees: PairCallees): Grant[] {
  const stack = Stack.of(scope);
  return [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [
        callees.launchPair.functionArn,
        callees.connectPair.functionArn,
        callees.analyseMeasurement.functionArn,
        callees.disconnectPair.functionArn,
      ],
    },
    {
      actions: ['ssm:SendCommand'],
      resources: Object.values(callees.documentNames).map((name) =>
        stack.formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
      ),
    },
    {
      actions: ['ssm:SendCommand'],
      resources: [ec2Arn(scope, 'instance')],
      // The key is `ssm:resourceTag`, not `aws:ResourceTag`: Systems Manager checks the permission a second time for
      // the command itself, where a global condition key fails (User Guide, "Setting up Run Command").
      conditions: { StringEquals: { [`ssm:resourceTag/${ResourceTag.stack}`]: stack.stackName } },
      wildcardReason: OWN_TAG_REASON,
    },
    terminateOwnHosts(scope),
    deleteOwnPlacementGroups(scope),
    callsWithoutResource(
      'ssm:ListCommandInvocations',
      'ssm:CancelCommand',
      'ssm:DescribeInstanceInformation',
      'ec2:DescribeInstances',
      'ec2:DescribePlacementGroups',
    ),
  ];
}

/** Lets a state machine write its log. */
export const LOG_DELIVERY_GRANT: Grant = {
  actions: [
    'logs:CreateLogDelivery',
    'logs:GetLogDelivery',
    'logs:UpdateLogDelivery',
    'logs:DeleteLogDelivery',
    'logs:ListLogDeliveries',
    'logs:PutResourcePolicy',
    'logs:DescribeResourcePolicies',
    'logs:DescribeLogGroups',
  ],
  resources: ['*'],
  wildcardReason: 'log deliveries of state machines accept no resource (Step Functions Developer Guide, "Logging")',
};
