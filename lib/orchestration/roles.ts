/** What the two state machines may do: the calls that their states make, and what those calls imply. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { BenchmarkFunction } from '../functions/benchmark-function';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import {
  OWN_TAG_REASON,
  callsWithoutResource,
  deleteOwnPlacementGroups,
  ec2Arn,
  onExecutions,
  terminateOwnHosts,
} from '../grants';
import type { Grant } from '../least-privilege';
import type { MachineNames } from '../names';

/** What the states of both machines call. */
export interface Callees {
  readonly machines: MachineNames;
  readonly functions: BenchmarkFunctions;
}

export interface PairCallees extends Callees {
  /** Names of the deployed documents, by the name of their folder. */
  readonly documentNames: Readonly<Record<string, string>>;
}

export function networkBenchmarkGrants(scope: Construct, { machines, functions }: Callees): Grant[] {
  return [
    invoke(functions.planRun, functions.summariseRun),
    { actions: ['states:StartExecution'], resources: [machines.pairArn] },
    onExecutions(['states:DescribeExecution', 'states:StopExecution'], machines.pairExecutionsArn),
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

export function pairBenchmarkGrants(scope: Construct, { functions, documentNames }: PairCallees): Grant[] {
  const stack = Stack.of(scope);
  const { launchPair, connectPair, analyseMeasurement, disconnectPair } = functions;
  return [
    invoke(launchPair, connectPair, analyseMeasurement, disconnectPair),
    {
      actions: ['ssm:SendCommand'],
      resources: Object.values(documentNames).map((name) =>
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

function invoke(...functions: readonly BenchmarkFunction[]): Grant {
  return { actions: ['lambda:InvokeFunction'], resources: functions.map(({ handler }) => handler.functionArn) };
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
