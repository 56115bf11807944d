/** What the two state machines may do: the calls their states make and what those imply, nothing more. */
import { Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Grant } from '../least-privilege';
import { grantedRole } from '../least-privilege';
import type { NetworkBenchmarkProps } from './network-benchmark';
import type { PairBenchmarkProps } from './pair-benchmark';

export function networkBenchmarkRole(scope: Construct, props: NetworkBenchmarkProps): Role {
  const stack = Stack.of(scope);
  return machineRole(scope, 'Runs benchmark plans: plans, starts pairs, summarises', [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [props.planRun.functionArn, props.summariseRun.functionArn],
    },
    { actions: ['states:StartExecution'], resources: [props.machines.pairArn] },
    {
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: [props.machines.pairExecutionsArn],
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
  ]);
}

export function pairBenchmarkRole(scope: Construct, props: PairBenchmarkProps): Role {
  const stack = Stack.of(scope);
  const instances = stack.formatArn({ service: 'ec2', resource: 'instance', resourceName: '*' });
  const ownTag = { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: stack.stackName } };
  return machineRole(scope, 'Measures one pair: launches, sends commands, analyses, tears down', [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [props.launchPair.functionArn, props.analyseMeasurement.functionArn],
    },
    {
      actions: ['ssm:SendCommand'],
      resources: Object.values(props.documents.names).map((name) =>
        stack.formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
      ),
    },
    {
      actions: ['ssm:SendCommand', 'ec2:TerminateInstances'],
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
  ]);
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

function machineRole(scope: Construct, description: string, grants: readonly Grant[]): Role {
  return grantedRole(scope, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    description,
    grants: [...grants, LOG_DELIVERY],
  });
}
