import type { Duration } from 'aws-cdk-lib';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IChainable } from 'aws-cdk-lib/aws-stepfunctions';
import { DefinitionBody, LogLevel, QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { LOG_RETENTION_DAYS } from '../../domain/model/service-facts';
import { HISTORY_EVENT_BUDGET } from '../../domain/workflow/polling';
import type { Grant } from '../least-privilege';
import { GrantedRole } from '../least-privilege';
import { LOG_DELIVERY_GRANT } from './roles';

export interface BenchmarkStateMachineProps {
  readonly name: string;
  readonly comment: string;
  readonly start: IChainable;
  readonly timeout: Duration;
  readonly roleDescription: string;
  readonly grants: readonly Grant[];
}

/** A state machine in JSONata, with its own role, and a log that keeps its failures longer than the history is kept. */
export function benchmarkStateMachine(owner: Construct, props: BenchmarkStateMachineProps): StateMachine {
  const role = new GrantedRole(owner, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    description: props.roleDescription,
    grants: [...props.grants, LOG_DELIVERY_GRANT],
  });
  const log = new LogGroup(owner, 'Log', {
    // Under this prefix, delivering logs needs no entry in the account's resource policy, which is limited to 5,120
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
    // The role has all its permissions from `roles.ts`; the states must not add to them.
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
