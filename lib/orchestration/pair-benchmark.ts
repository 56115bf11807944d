import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  type IStateMachine,
  CfnStateMachineVersion,
  Choice,
  Fail,
  Pass,
  StateMachine,
  Succeed,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ErrorName } from '../../domain/workflow/error-names';
import { benchmarkStateMachine, type PairCallees, pairBenchmarkGrants } from './benchmark-state-machine';
import { pairErrorText, PAIR_INSTANCE_IDS, PAIR_WORDS, jsonata, pairIdExpression } from './expressions';
import { connectPairPhase, disconnectPairPhase, probePathPhase } from './phases/data-path';
import { hostCommandPhase, hostsOnlinePhase } from './phases/hosts';
import { measurePairPhase } from './phases/measure-pair';
import { tearDownPhase } from './phases/tear-down';
import { catchAll, invocation, when } from './tasks';

/** Longer than 50 measurements of two hours. The hosts power themselves off long before, at the plan's deadline. */
export const PAIR_TIMEOUT = Duration.days(6);

/** Limited, because the run's summary has one line per failed pair. */
const REASON_CHARACTERS = 2_000;

/**
 * One pair of new hosts: launch pair → hosts online → probe path, if the path is `own` → prepare hosts → connect pair →
 * for each measurement: serve → measure → analyse → tear down pair → disconnect pair → outcome. Every route that may
 * have launched a host leads to the teardown. If anything failed, the execution fails after the teardown.
 */
export class PairBenchmark extends Construct {
  readonly stateMachine: IStateMachine;
  /** What a run starts: the state machine as it is deployed with the run's definition, also after a later deployment. */
  readonly version: IStateMachine;

  constructor(scope: Construct, id: string, props: PairCallees) {
    super(scope, id);
    const { launchPair, connectPair, analyseMeasurement, disconnectPair } = props.functions;
    const outcome = this.outcome();
    const tearDown = tearDownPhase(this, disconnectPairPhase(this, disconnectPair.version, outcome), outcome);
    const failed = Pass.jsonata(this, 'Pair failed', {
      comment: 'Keeps the reason for the outcome, which comes after the teardown',
      assign: { failures: jsonata('$append($failures, [$failureReason])') },
    });
    failed.next(tearDown);
    const connected = connectPairPhase(this, {
      connectPair: connectPair.version,
      succeeded: measurePairPhase(this, analyseMeasurement.version, tearDown),
      failed,
    });
    const prepareHosts = hostCommandPhase(this, {
      phase: 'Prepare hosts',
      comment: 'Stops background work on both hosts and records their properties',
      command: '$pair.prepare',
      instanceIds: PAIR_INSTANCE_IDS,
      commandIdVariable: 'prepareCommandId',
      succeeded: connected,
      failed,
    });
    const launch = invocation(this, 'Launch pair', {
      comment: 'Launches two fresh hosts, or leaves none behind',
      handler: launchPair.version,
      payload: {
        runId: jsonata('$runId'),
        pairIndex: jsonata('$pairIndex'),
        redriveCount: jsonata(
          '$exists($states.context.Execution.RedriveCount) ? $states.context.Execution.RedriveCount : 0',
        ),
      },
      assign: { pair: jsonata('$states.result.Payload'), launchedAt: jsonata('$millis()') },
      outputs: jsonata('$states.result.Payload.{"client": clientInstanceId, "server": serverInstanceId}'),
    });
    catchAll([launch], failed, `"launching the hosts: " & ${pairErrorText()}`);
    const begin = Pass.jsonata(this, 'Begin pair', {
      assign: {
        runId: jsonata('$states.input.runId'),
        pairIndex: jsonata('$states.input.pairIndex'),
        pairId: jsonata(pairIdExpression('$states.input.pairIndex')),
        onlineDeadlineSeconds: jsonata('$states.input.onlineDeadlineSeconds'),
        tearDownDeadlineSeconds: jsonata('$states.input.tearDownDeadlineSeconds'),
        documents: props.documents,
        ...PAIR_WORDS,
        measurementIndex: 0,
        failures: [],
        hostLost: false,
      },
    });
    const probed = probePathPhase(this, { connectPair: connectPair.version, succeeded: prepareHosts, failed });
    begin.next(launch).next(hostsOnlinePhase(this, probed, failed));

    const stateMachine = benchmarkStateMachine(this, {
      name: props.machines.pair,
      comment: 'One pair of fresh hosts: launched, measured, analysed and terminated',
      start: begin,
      timeout: PAIR_TIMEOUT,
      roleDescription:
        'Measures one pair: launches hosts, sends commands, analyses the results and terminates the hosts',
      grants: pairBenchmarkGrants(this, props),
    });
    const { stateMachineArn, stateMachineRevisionId } = stateMachine;
    const version = new CfnStateMachineVersion(this, 'Version', { stateMachineArn, stateMachineRevisionId });
    // Deleting the state machine deletes all of its versions.
    version.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    this.stateMachine = stateMachine;
    this.version = StateMachine.fromStateMachineArn(this, 'Pinned', version.attrArn);
  }

  private outcome(): Choice {
    const complete = Succeed.jsonata(this, 'Pair complete', {
      outputs: {
        pairId: jsonata('$pairId'),
        status: 'complete',
        tearDownStartedAtMillis: jsonata('$tearDownStartedAt'),
      },
    });
    const failed = Fail.jsonata(this, 'Pair incomplete', {
      error: ErrorName.PairFailed,
      cause: jsonata(
        '$string({"pairId": $pairId, "status": "failed", "tearDownStartedAtMillis": $tearDownStartedAt, ' +
          `"reason": $substring($join($failures, "; "), 0, ${REASON_CHARACTERS})})`,
      ),
    });
    return Choice.jsonata(this, 'Measured everything?').when(when('$count($failures) = 0'), complete).otherwise(failed);
  }
}
