/** What the two state machines may do: the calls their states make and what those imply, nothing more. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { NetworkBenchmarkProps } from './network-benchmark';
import type { PairBenchmarkProps } from './pair-benchmark';

export function networkBenchmarkRole(scope: Construct, props: NetworkBenchmarkProps): Role {
  const stack = Stack.of(scope);
  const pair = props.pairBenchmark.stateMachine;
  const pairExecutions = stack.formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${pair.stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return machineRole(scope, [
    allow(['lambda:InvokeFunction'], [props.planRun.functionArn, props.summariseRun.functionArn]),
    allow(['states:StartExecution'], [pair.stateMachineArn]),
    allow(['states:DescribeExecution', 'states:StopExecution'], [pairExecutions]),
    allow(
      ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
      [
        stack.formatArn({
          service: 'events',
          resource: 'rule',
          resourceName: 'StepFunctionsGetEventsForStepFunctionsExecutionRule',
        }),
      ],
    ),
  ]);
}

export function pairBenchmarkRole(scope: Construct, props: PairBenchmarkProps): Role {
  const stack = Stack.of(scope);
  const ownTag = ResourceTag.stack;
  const instances = stack.formatArn({ service: 'ec2', resource: 'instance', resourceName: '*' });
  return machineRole(scope, [
    allow(['lambda:InvokeFunction'], [props.launchPair.functionArn, props.analyseMeasurement.functionArn]),
    allow(
      ['ssm:SendCommand'],
      Object.values(props.documents.names).map((name) =>
        stack.formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
      ),
    ),
    allow(['ssm:SendCommand'], [instances], { StringEquals: { [`ssm:resourceTag/${ownTag}`]: props.stackName } }),
    // None of these can be narrowed to a resource (Service Authorization Reference).
    allow(
      [
        'ssm:ListCommandInvocations',
        'ssm:CancelCommand',
        'ssm:DescribeInstanceInformation',
        'ec2:DescribeInstances',
        'ec2:DescribePlacementGroups',
      ],
      ['*'],
    ),
    allow(['ec2:TerminateInstances'], [instances], { StringEquals: { [`aws:ResourceTag/${ownTag}`]: props.stackName } }),
    allow(
      ['ec2:DeletePlacementGroup'],
      [stack.formatArn({ service: 'ec2', resource: 'placement-group', resourceName: '*' })],
      { StringEquals: { [`aws:ResourceTag/${ownTag}`]: props.stackName } },
    ),
  ]);
}

/** Delivering an execution's log: the account's log deliveries know no resources. */
const LOG_DELIVERY = [
  'logs:CreateLogDelivery',
  'logs:GetLogDelivery',
  'logs:UpdateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:DescribeResourcePolicies',
  'logs:DescribeLogGroups',
];

/** Inline, so that the role is never without its permissions: Step Functions tests some of them at creation. */
function machineRole(scope: Construct, statements: PolicyStatement[]): Role {
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    inlinePolicies: { States: new PolicyDocument({ statements: [...statements, allow(LOG_DELIVERY, ['*'])] }) },
  });
}

function allow(
  actions: string[],
  resources: string[],
  conditions?: Record<string, Record<string, string>>,
): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
}
