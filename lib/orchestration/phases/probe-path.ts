import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { CAUGHT_ERROR, jsonata } from '../expressions';
import { catchAll, invocation, when } from '../tasks';
import { hostCommandPhase } from './host-command';

export interface ProbePathProps {
  readonly connectPair: IFunction;
  readonly succeeded: State;
  /** Entered with `$failureReason`. */
  readonly failed: State;
}

/**
 * Probes the way between the hosts where it is the account's own. This comes before the hosts are prepared, which may
 * take minutes. connect-pair stores what the probe found, and fails where nothing arrives.
 */
export function probePathPhase(scope: Construct, { connectPair, succeeded, failed }: ProbePathProps): State {
  const phase = 'Probe path';
  const judge = invocation(scope, `${phase}: judge`, {
    comment: 'Stores what the probe found, and fails where nothing arrives',
    handler: connectPair,
    payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex'), probeOutput: jsonata('$probeOutput') },
    outputs: {},
  });
  catchAll([judge], failed, `"connecting the hosts: " & ${CAUGHT_ERROR}`);
  judge.next(succeeded);
  const probe = hostCommandPhase(scope, {
    phase,
    comment: 'Tries to reach the server from the client',
    command: '$pair.probe',
    instanceIds: '[$pair.clientInstanceId]',
    commandIdVariable: 'probeCommandId',
    outputVariable: 'probeOutput',
    succeeded: judge,
    failed,
  });
  return Choice.jsonata(scope, `${phase}?`).when(when('$type($pair.probe) = "object"'), probe).otherwise(succeeded);
}
