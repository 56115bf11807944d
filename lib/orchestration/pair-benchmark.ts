import { Duration } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice, Condition, Fail, Pass, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ErrorName } from '../../domain/workflow/error-names';
import type { MachineNames } from '../machine-names';
import { benchmarkStateMachine } from './benchmark-state-machine';
import { CAUGHT_ERROR, PAIR_INSTANCE_IDS, jsonata, pairIdExpression } from './expressions';
import { ConnectPairPhase } from './phases/connect-pair';
import { DisconnectPairPhase } from './phases/disconnect-pair';
import { HostCommandPhase } from './phases/host-command';
import { HostsOnlinePhase } from './phases/hosts-online';
import { MeasurePairPhase } from './phases/measure-pair';
import { TearDownPhase } from './phases/tear-down';
import type { PairCallees } from './roles';
import { pairBenchmarkGrants } from './roles';
import { invocation } from './tasks';

export interface PairBenchmarkProps extends PairCallees {
  readonly machines: MachineNames;
}

/**
 * Longer than 50 measurements of two hours. The hosts power themselves off at the plan's deadline, long before this.
 */
export const PAIR_TIMEOUT = Duration.days(6);

/** Short, because the run's summary has one line per failed pair. */
const REASON_CHARACTERS = 2_000;

/**
 * One pair of fresh hosts: launch pair → hosts online → prepare hosts → connect pair → for each measurement: serve →
 * measure → analyse → tear down pair → disconnect pair → outcome. Every path that may have launched a host leads to the
 * teardown. If anything failed on the way, the execution fails after the teardown.
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
      comment: 'Keeps the reason for the outcome, which comes after the teardown',
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
      comment: 'Stops background work on both hosts and records their properties',
      command: '$pair.prepare',
      instanceIds: PAIR_INSTANCE_IDS,
      commandIdVariable: 'prepareCommandId',
      succeeded: connectPair.startState,
      failed,
    });
    const hostsOnline = new HostsOnlinePhase(this, 'HostsOnline', { succeeded: prepareHosts.startState, failed });
    const launchPair = invocation(this, 'Launch pair', {
      comment: 'Launches two fresh hosts, or leaves none behind',
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
        documentNames: props.documentNames,
        measurementIndex: 0,
        failures: [],
        hostLost: false,
      },
    });
    begin.next(launchPair).next(hostsOnline.startState);

    this.stateMachine = benchmarkStateMachine(this, {
      name: props.machines.pair,
      comment: 'One pair of fresh hosts: launched, measured, analysed and terminated',
      start: begin,
      timeout: PAIR_TIMEOUT,
      roleDescription:
        'Measures one pair: launches hosts, sends commands, analyses the results and terminates the hosts',
      grants: pairBenchmarkGrants(this, props),
    });
  }

  private outcome(): Choice {
    const complete = Succeed.jsonata(this, 'Pair complete', {
      outputs: { pairId: jsonata('$pairId'), status: 'complete' },
    });
    const failed = Fail.jsonata(this, 'Pair incomplete', {
      error: ErrorName.PairFailed,
      cause: jsonata(
        '$string({"pairId": $pairId, "status": "failed", ' +
          `"reason": $substring($join($failures, "; "), 0, ${REASON_CHARACTERS})})`,
      ),
    });
    return Choice.jsonata(this, 'Measured everything?')
      .when(Condition.jsonata(jsonata('$count($failures) = 0')), complete)
      .otherwise(failed);
  }
}
