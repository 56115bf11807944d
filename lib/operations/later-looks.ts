import { Duration } from 'aws-cdk-lib';
import type { IRuleTarget } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { BenchmarkFunction } from '../functions/benchmark-function';
import { GrantedRole } from '../grants';
import type { MachineNames } from '../names';
import { benchmarkStateMachine } from '../orchestration/benchmark-state-machine';
import { jsonata } from '../orchestration/expressions';
import { invocation } from '../orchestration/tasks';

export interface LaterLooksProps {
  readonly machines: MachineNames;
  readonly reapRun: BenchmarkFunction;
  /** Receives the event if the looks could not be started. */
  readonly undeliveredEvents: IQueue;
}

/**
 * reap-run looks again one minute after an execution has ended and after five, because a host that was launched while
 * the execution ended appears late. A state machine waits without being paid for, whereas Lambda would poll a delayed
 * queue all month (docs/decisions/0006-reaper-looks-again.md).
 */
export class LaterLooks extends Construct {
  /** Starts the looks for the event of a rule. */
  readonly target: IRuleTarget;

  constructor(scope: Construct, id: string, props: LaterLooksProps) {
    super(scope, id);
    const { machines, reapRun, undeliveredEvents } = props;
    const pause = (name: string, duration: Duration) =>
      Wait.jsonata(this, name, { time: WaitTime.duration(duration), assign: { event: jsonata('$states.input') } });
    const look = (name: string) =>
      invocation(this, name, {
        handler: reapRun.handler,
        payload: { laterLookAt: jsonata('$event') },
        outputs: jsonata('$event'),
      });
    const fiveMinutes = pause('Until five minutes after', Duration.minutes(4));
    const first = look('Look after one minute').addCatch(fiveMinutes, { outputs: jsonata('$event') });
    fiveMinutes.next(look('Look after five minutes'));
    const stateMachine = benchmarkStateMachine(this, {
      name: machines.laterLooks,
      comment: 'Has reap-run look again for what an ended execution left behind',
      start: pause('One minute', Duration.minutes(1)).next(first).next(fiveMinutes),
      // Both looks with all their retries, for as long as a young account may be out of functions.
      timeout: Duration.hours(2),
      roleDescription: 'Has reap-run look again after an execution has ended',
      grants: [{ actions: ['lambda:InvokeFunction'], resources: [reapRun.handler.functionArn] }],
    });
    const role = new GrantedRole(this, 'StartRole', {
      assumedBy: new ServicePrincipal('events.amazonaws.com'),
      description: 'Starts the later looks of reap-run',
      grants: [{ actions: ['states:StartExecution'], resources: [stateMachine.stateMachineArn] }],
    });
    this.target = new SfnStateMachine(stateMachine, {
      role: role.withoutPolicyUpdates(),
      deadLetterQueue: undeliveredEvents,
    });
  }
}
