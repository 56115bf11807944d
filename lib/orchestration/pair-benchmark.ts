import { Duration } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  Pass,
  QueryLanguage,
  StateMachine,
  Succeed,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ErrorName } from '../../domain/workflow/error-names';
import { CAUGHT_ERROR, PAIR_INSTANCE_IDS, jsonata, pairIdExpression } from './expressions';
import { ConnectPairPhase } from './phases/connect-pair';
import { DisconnectPairPhase } from './phases/disconnect-pair';
import { HostCommandPhase } from './phases/host-command';
import { HostsOnlinePhase } from './phases/hosts-online';
import { MeasurePairPhase } from './phases/measure-pair';
import { TearDownPhase } from './phases/tear-down';
import { ErrorLog, acknowledgeErrorLogging } from './error-log';
import type { MachineNames } from './machine-names';
import type { PairCallees } from './roles';
import { MachineRole, pairBenchmarkGrants } from './roles';
import { invocation } from './tasks';

export interface PairBenchmarkProps extends PairCallees {
  readonly machines: MachineNames;
}

/** Longer than 50 measurements of two hours; the hosts' own timers end them long before, by the plan. */
export const PAIR_TIMEOUT = Duration.days(6);

/** A cause has room for 32,768 characters; the run's summary carries one line per failed pair. */
const REASON_CHARACTERS = 2_000;

/**
 * One pair of fresh hosts: launch pair → hosts online → prepare hosts → connect pair → for each measurement: serve →
 * measure → analyse → tear down pair → disconnect pair → outcome. Everything that may have launched leads to the teardown, and whatever failed on the way
 * makes the outcome red after it.
 */
export class PairBenchmark extends Construct {
  readonly stateMachine: IStateMachine;

  constructor(scope: Construct, id: string, props: PairBenchmarkProps) {
    super(scope, id);
    const outcome = this.outcome();
    const disconnectPair = new DisconnectPairPhase(this, 'DisconnectPair', {
      disconnectPair: props.disconnectPair,
      next: outcome,
    });
    const tearDown = new TearDownPhase(this, 'TearDownPair', { next: disconnectPair.startState });
    const failed = Pass.jsonata(this, 'Pair failed', {
      comment: 'Remembers why, for the outcome',
      assign: { failures: jsonata('$append($failures, [$failureReason])') },
    });
    failed.next(tearDown.startState);
    const measurePair = new MeasurePairPhase(this, 'MeasurePair', {
      analyseMeasurement: props.analyseMeasurement,
      next: tearDown.startState,
    });
    const connectPair = new ConnectPairPhase(this, 'ConnectPair', {
      connectPair: props.connectPair,
      succeeded: measurePair.startState,
      failed,
    });
    const prepareHosts = new HostCommandPhase(this, 'PrepareHosts', {
      comment: 'Makes both hosts quiet and records what they are',
      command: '$pair.prepare',
      instanceIds: PAIR_INSTANCE_IDS,
      commandIdVariable: 'prepareCommandId',
      succeeded: connectPair.startState,
      failed,
    });
    const hostsOnline = new HostsOnlinePhase(this, 'HostsOnline', { succeeded: prepareHosts.startState, failed });
    const launchPair = invocation(this, 'Launch pair', {
      comment: 'Two fresh hosts, or none',
      handler: props.launchPair,
      payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex') },
      assign: { pair: jsonata('$states.result.Payload'), launchedAt: jsonata('$millis()') },
      outputs: jsonata('$states.result.Payload.{"client": clientInstanceId, "server": serverInstanceId}'),
    });
    launchPair.addCatch(failed, { errors: ['States.ALL'], assign: { failureReason: jsonata(CAUGHT_ERROR) } });
    const begin = Pass.jsonata(this, 'Begin pair', {
      assign: {
        runId: jsonata('$states.input.runId'),
        pairIndex: jsonata('$states.input.pairIndex'),
        pairId: jsonata(pairIdExpression('$states.input.pairIndex')),
        documentNames: props.documents.names,
        measurementIndex: 0,
        failures: [],
        hostLost: false,
      },
    });
    begin.next(launchPair).next(hostsOnline.startState);

    const role = new MachineRole(this, 'Role', {
      description: 'Measures one pair: launches, sends commands, analyses, tears down',
      grants: pairBenchmarkGrants(this, props),
    });
    const stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: props.machines.pair,
      comment: 'One pair of fresh hosts: launched, measured, analysed, terminated',
      definitionBody: DefinitionBody.fromChainable(begin),
      queryLanguage: QueryLanguage.JSONATA,
      timeout: PAIR_TIMEOUT,
      // The role says itself what it may do; the states add nothing.
      role: role.withoutPolicyUpdates(),
      logs: new ErrorLog(this, 'Log').options,
    });
    acknowledgeErrorLogging(stateMachine);
    this.stateMachine = stateMachine;
  }

  private outcome(): Choice {
    const complete = Succeed.jsonata(this, 'Pair complete', {
      outputs: { pairId: jsonata('$pairId'), status: 'complete' },
    });
    const failed = Fail.jsonata(this, 'Pair incomplete', {
      error: ErrorName.PairFailed,
      cause: jsonata(
        `$string({"pairId": $pairId, "status": "failed", "reason": $substring($join($failures, "; "), 0, ${REASON_CHARACTERS})})`,
      ),
    });
    return Choice.jsonata(this, 'Measured everything?')
      .when(Condition.jsonata(jsonata('$count($failures) = 0')), complete)
      .otherwise(failed);
  }
}
