/** What the two state machines may do: the calls their states make and what those imply, nothing more. */
import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Grant } from '../least-privilege';
import { GrantedRole } from '../least-privilege';
import type { DeployedDocuments } from './deployed-documents';
import type { MachineNames } from './machine-names';

/** What the states of the run's machine call. */
export interface RunCallees {
  readonly machines: MachineNames;
  readonly planRun: IFunction;
  readonly summariseRun: IFunction;
}

/** What the states of the pair's machine call. */
export interface PairCallees {
  readonly documents: DeployedDocuments;
  readonly launchPair: IFunction;
  readonly connectPair: IFunction;
  readonly analyseMeasurement: IFunction;
  readonly disconnectPair: IFunction;
}

export function networkBenchmarkGrants(scope: Construct, callees: RunCallees): Grant[] {
  const stack = Stack.of(scope);
  return [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [callees.planRun.functionArn, callees.summariseRun.functionArn],
    },
    { actions: ['states:StartExecution'], resources: [callees.machines.pairArn] },
    {
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: [callees.machines.pairExecutionsArn],
      wildcardReason: 'an execution of the pair machine has the name of its run and pair',
    },
    {
      // How a synchronous start hears of its end.
      actions: ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
      resources: [
        stack.formatArn({
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
  const instances = stack.formatArn({ service: 'ec2', resource: 'instance', resourceName: '*' });
  const ownTag = { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: stack.stackName } };
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
      resources: Object.values(callees.documents.names).map((name) =>
        stack.formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
      ),
    },
    {
      actions: ['ssm:SendCommand'],
      resources: [instances],
      // Not `aws:ResourceTag`: with a global key the command's second check, through the service, fails (User Guide,
      // "Setting up Run Command").
      conditions: { StringEquals: { [`ssm:resourceTag/${ResourceTag.stack}`]: stack.stackName } },
      wildcardReason: "hosts are fresh in every run; the condition holds it to those with the stack's tag",
    },
    {
      actions: ['ec2:TerminateInstances'],
      resources: [instances],
      conditions: ownTag,
      wildcardReason: "hosts are fresh in every run; the condition holds it to those with the stack's tag",
    },
    {
      actions: ['ec2:DeletePlacementGroup'],
      resources: [stack.formatArn({ service: 'ec2', resource: 'placement-group', resourceName: '*' })],
      conditions: ownTag,
      wildcardReason: "each pair has a group of its own; the condition holds it to those with the stack's tag",
    },
    {
      actions: [
        'ssm:ListCommandInvocations',
        'ssm:CancelCommand',
        'ssm:DescribeInstanceInformation',
        'ec2:DescribeInstances',
        'ec2:DescribePlacementGroups',
      ],
      resources: ['*'],
      wildcardReason: 'these calls know no resources (Service Authorization Reference)',
    },
  ];
}

const LOG_DELIVERY: Grant = {
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
  wildcardReason: 'log deliveries of state machines know no resources (Step Functions Developer Guide, "Logging")',
};

export interface MachineRoleProps {
  readonly description: string;
  readonly grants: readonly Grant[];
}

export class MachineRole extends GrantedRole {
  constructor(scope: Construct, id: string, props: MachineRoleProps) {
    super(scope, id, {
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
      description: props.description,
      grants: [...props.grants, LOG_DELIVERY],
    });
  }
}
