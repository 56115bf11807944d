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
 * Ends everything that carries the pair's tags, whatever this execution remembers of it: a launch that failed half-way
 * told nobody what it launched. Leaves once the hosts are terminated and their placement groups deleted; a teardown that
 * does not get there is a failure of the pair, and the reaper looks again.
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
      comment: 'Every path ends here, with or without hosts',
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
      comment: 'A placement group can be deleted only once it is empty',
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
      comment: 'The reaper and the sweeper take over; the pair is red',
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
    // Not at once: EC2 may describe a group for a while that it would no longer delete.
    deleteGroup.next(pause);
    failed.next(props.next);
    this.startState = begin;
  }
}
