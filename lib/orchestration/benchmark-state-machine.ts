import { type Duration, RemovalPolicy, Validations, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type IChainable, DefinitionBody, LogLevel, QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { LOG_RETENTION_DAYS } from '../../domain/model/service-facts';
import { HISTORY_EVENT_BUDGET } from '../../domain/workflow/polling';
import {
  type Grant,
  GrantedRole,
  OWN_TAG_REASON,
  callsWithoutResource,
  deleteOwnPlacementGroups,
  ec2Arn,
  onExecutions,
  terminateOwnHosts,
} from '../grants';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { BenchmarkFunction } from '../functions/benchmark-function';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import type { PinnedDocument } from '../measurement-documents/measurement-documents';
import type { MachineNames } from '../names';

export interface BenchmarkStateMachineProps {
  readonly name: string;
  readonly comment: string;
  readonly start: IChainable;
  readonly timeout: Duration;
  readonly roleDescription: string;
  readonly grants: readonly Grant[];
}

/** A JSONata state machine with its own role, and with a log that keeps failures longer than the execution history. */
export function benchmarkStateMachine(owner: Construct, props: BenchmarkStateMachineProps): StateMachine {
  const role = new GrantedRole(owner, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    description: props.roleDescription,
    grants: [...props.grants, LOG_DELIVERY_GRANT],
  });
  const log = new LogGroup(owner, 'Log', {
    // With this prefix, log delivery needs no entry in the account's resource policy, which is limited to 5,120
    // characters for all state machines of the account.
    logGroupName: `/aws/vendedlogs/states/${props.name}`,
    // Step Functions keeps the history of an execution for 90 days.
    retention: LOG_RETENTION_DAYS.stateMachines,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const stateMachine = new StateMachine(owner, 'StateMachine', {
    stateMachineName: props.name,
    comment: props.comment,
    definitionBody: DefinitionBody.fromChainable(props.start),
    queryLanguage: QueryLanguage.JSONATA,
    timeout: props.timeout,
    // All permissions of the role are in `props.grants`; the states must not add any.
    role: role.withoutPolicyUpdates(),
    logs: { destination: log, level: LogLevel.ERROR, includeExecutionData: true },
  });
  Validations.of(stateMachine).acknowledge(
    {
      id: 'AwsSolutions-SF1',
      reason:
        'The log level is ERROR because the execution history keeps every event for 90 days; a second copy of up to ' +
        `${HISTORY_EVENT_BUDGET.toLocaleString('en')} events per pair, mostly of polling, would add nothing`,
    },
    {
      id: 'AwsSolutions-SF2',
      reason:
        'The execution history has the time of every state; a trace would repeat it with one segment per poll, and ' +
        'needs permissions that the role does not need otherwise',
    },
  );
  return stateMachine;
}

export interface Callees {
  readonly machines: MachineNames;
  readonly functions: BenchmarkFunctions;
}

export interface PairCallees extends Callees {
  /** The deployed documents, by the name of their folder. */
  readonly documents: Readonly<Record<string, PinnedDocument>>;
}

export function networkBenchmarkGrants(scope: Construct, { machines, functions }: Callees): Grant[] {
  return [
    invoke(functions.planRun, functions.summariseRun),
    {
      actions: ['states:StartExecution'],
      resources: [machines.pairArn, `${machines.pairArn}:*`],
      wildcardReason: EARLIER_VERSION_REASON,
    },
    onExecutions(['states:DescribeExecution', 'states:StopExecution'], machines.pairExecutionsArn),
    {
      // Step Functions uses this rule to learn that a pair's execution has ended.
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

export function pairBenchmarkGrants(scope: Construct, { functions, documents }: PairCallees): Grant[] {
  const stack = Stack.of(scope);
  const { launchPair, connectPair, analyseMeasurement, disconnectPair } = functions;
  return [
    invoke(launchPair, connectPair, analyseMeasurement, disconnectPair),
    {
      actions: ['ssm:SendCommand'],
      resources: Object.values(documents).map(({ name }) =>
        stack.formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
      ),
    },
    {
      actions: ['ssm:SendCommand'],
      resources: [ec2Arn(scope, 'instance')],
      // The key must be `ssm:resourceTag` instead of `aws:ResourceTag`: Systems Manager also checks the permission for
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
  return {
    actions: ['lambda:InvokeFunction'],
    resources: functions.flatMap(({ handler: { functionArn } }) => [functionArn, `${functionArn}:*`]),
    wildcardReason: EARLIER_VERSION_REASON,
  };
}

const EARLIER_VERSION_REASON = 'an execution that began before an update calls the version of its own definition';

const LOG_DELIVERY_GRANT: Grant = {
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
