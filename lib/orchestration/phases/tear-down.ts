import { Stack } from 'aws-cdk-lib';
import { Choice, Condition, Pass, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { HOST_POLLING, TEAR_DOWN_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { ResourceTag } from '../../../domain/workflow/resource-tags';
import { CAUGHT_ERROR, elapsedSecondsExpression, jsonata, pauseExpression } from '../expressions';
import { PLACEMENT_GROUP_IN_USE_RETRY, REPEATABLE_CALL_RETRY } from '../retries';
import { apiCall, phaseName } from '../tasks';

export interface TearDownProps {
  readonly next: State;
}

const ELAPSED = elapsedSecondsExpression('$tearDownStartedAt');

/**
 * Terminates the hosts and deletes the placement groups that carry the pair's tags. It finds them by tag, because a
 * launch that failed half-way has not reported what it launched. If something remains at the deadline, the pair fails,
 * and reap-run and sweep-orphans try again later.
 */
export class TearDownPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: TearDownProps) {
    super(scope, id);
    const phase = phaseName(id);
    const pairTags = [
      { Name: `tag:${ResourceTag.stack}`, Values: [Stack.of(this).stackName] },
      { Name: `tag:${ResourceTag.runId}`, Values: [jsonata('$runId')] },
      { Name: `tag:${ResourceTag.pairId}`, Values: [jsonata('$pairId')] },
    ];
    const overdue = Condition.jsonata(jsonata(`${ELAPSED} > ${TEAR_DOWN_DEADLINE_SECONDS}`));

    const begin = Pass.jsonata(this, phase, {
      comment: 'Every path leads here, whether or not hosts were launched',
      assign: { tearDownStartedAt: jsonata('$millis()') },
    });
    const findHosts = apiCall(this, `${phase}: find hosts`, {
      service: 'ec2',
      action: 'describeInstances',
      parameters: {
        Filters: [
          ...pairTags,
          { Name: 'instance-state-name', Values: ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] },
        ],
      },
      retry: REPEATABLE_CALL_RETRY,
      assign: {
        remainingIds: jsonata('[$states.result.Reservations.Instances.InstanceId]'),
        idsToTerminate: jsonata('[$states.result.Reservations.Instances[State.Name != "shutting-down"].InstanceId]'),
      },
      outputs: jsonata('[$states.result.Reservations.Instances.{"InstanceId": InstanceId, "State": State.Name}]'),
    });
    const terminate = apiCall(this, `${phase}: terminate hosts`, {
      service: 'ec2',
      action: 'terminateInstances',
      parameters: { InstanceIds: jsonata('$idsToTerminate') },
      retry: REPEATABLE_CALL_RETRY,
    });
    const pause = Wait.jsonata(this, `${phase}: wait`, {
      time: WaitTime.seconds(jsonata(pauseExpression(HOST_POLLING, ELAPSED))),
    });
    const findGroups = apiCall(this, `${phase}: find placement groups`, {
      comment: 'A placement group can be deleted only when it is empty',
      service: 'ec2',
      action: 'describePlacementGroups',
      parameters: { Filters: pairTags },
      retry: REPEATABLE_CALL_RETRY,
      assign: {
        groupNames: jsonata('[$states.result.PlacementGroups[$not(State in ["deleting", "deleted"])].GroupName]'),
      },
      outputs: jsonata('[$states.result.PlacementGroups.GroupName]'),
    });
    const deleteGroup = apiCall(this, `${phase}: delete placement group`, {
      service: 'ec2',
      action: 'deletePlacementGroup',
      parameters: { GroupName: jsonata('$groupNames[0]') },
      retry: PLACEMENT_GROUP_IN_USE_RETRY,
    });
    const failed = Pass.jsonata(this, `${phase}: failed`, {
      comment: 'The pair fails; reap-run and sweep-orphans try again later',
      assign: { failures: jsonata('$append($failures, ["teardown: " & $failureReason])') },
    });

    const hostsLeft = Choice.jsonata(this, `${phase}: hosts left?`)
      .when(Condition.jsonata(jsonata('$count($remainingIds) = 0')), findGroups)
      .when(overdue, failed, {
        assign: {
          failureReason: jsonata(
            `$join($remainingIds, ", ") & " not terminated after ${TEAR_DOWN_DEADLINE_SECONDS} s"`,
          ),
        },
      })
      .when(Condition.jsonata(jsonata('$count($idsToTerminate) > 0')), terminate)
      .otherwise(pause);
    const groupsLeft = Choice.jsonata(this, `${phase}: placement groups left?`)
      .when(Condition.jsonata(jsonata('$count($groupNames) = 0')), props.next)
      .when(overdue, failed, {
        assign: {
          failureReason: jsonata(
            `"placement group " & $join($groupNames, ", ") & " not deleted after ${TEAR_DOWN_DEADLINE_SECONDS} s"`,
          ),
        },
      })
      .otherwise(deleteGroup);

    for (const task of [findHosts, terminate, findGroups, deleteGroup]) {
      task.addCatch(failed, { errors: ['States.ALL'], assign: { failureReason: jsonata(CAUGHT_ERROR) } });
    }
    begin.next(findHosts);
    findHosts.next(hostsLeft);
    terminate.next(pause);
    pause.next(findHosts);
    findGroups.next(groupsLeft);
    // The pause comes first because EC2 may list a placement group for a while after it was deleted.
    deleteGroup.next(pause);
    failed.next(props.next);
    this.startState = begin;
  }
}
