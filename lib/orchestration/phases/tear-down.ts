import { Stack } from 'aws-cdk-lib';
import { Choice, Pass } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { HOST_POLLING } from '../../../domain/workflow/polling';
import { ResourceTag } from '../../../domain/workflow/resource-tags';
import { elapsedSecondsExpression, jsonata } from '../expressions';
import { PLACEMENT_GROUP_IN_USE_RETRY } from '../retries';
import { apiCall, catchAll, failingWith, pauseOf, when } from '../tasks';

const ELAPSED = elapsedSecondsExpression('$tearDownStartedAt');

/**
 * Terminates the hosts and deletes the placement groups with the pair's tags. It finds them by tag, because a launch
 * that failed half-way has not reported what it launched. If something remains after `$tearDownDeadlineSeconds`, the
 * pair fails, and reap-run and sweep-orphans try again later.
 *
 * @param next entered when hosts and groups are gone
 * @param incomplete entered otherwise: the remaining hosts hold the data path, so waiting for it would delay the reaper
 */
export function tearDownPhase(scope: Construct, next: State, incomplete: State): State {
  const phase = 'Tear down pair';
  const pairTags = [
    { Name: `tag:${ResourceTag.stack}`, Values: [Stack.of(scope).stackName] },
    { Name: `tag:${ResourceTag.runId}`, Values: [jsonata('$runId')] },
    { Name: `tag:${ResourceTag.pairId}`, Values: [jsonata('$pairId')] },
  ];
  const begin = Pass.jsonata(scope, phase, {
    comment: 'Every path leads here, whether or not hosts were launched',
    assign: { tearDownStartedAt: jsonata('$millis()') },
  });
  const findPage = (name: string, page: Readonly<Record<string, string>>, earlierAnd: (list: string) => string) =>
    apiCall(scope, `${phase}: ${name}`, {
      service: 'ec2',
      action: 'describeInstances',
      parameters: {
        Filters: [
          ...pairTags,
          { Name: 'instance-state-name', Values: ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] },
        ],
        ...page,
      },
      assign: {
        remainingIds: jsonata(`${earlierAnd('$remainingIds')}[$states.result.Reservations.Instances.InstanceId])`),
        idsToTerminate: jsonata(
          earlierAnd('$idsToTerminate') +
            '[$states.result.Reservations.Instances[State.Name != "shutting-down"].InstanceId])',
        ),
        nextPage: jsonata('$states.result.NextToken ? $states.result.NextToken : ""'),
      },
      outputs: jsonata('[$states.result.Reservations.Instances.{"InstanceId": InstanceId, "State": State.Name}]'),
    });
  const findHosts = findPage('find hosts', {}, () => '(');
  const findMore = findPage('find more hosts', { NextToken: jsonata('$nextPage') }, (list) => `$append(${list}, `);
  const terminate = apiCall(scope, `${phase}: terminate hosts`, {
    service: 'ec2',
    action: 'terminateInstances',
    parameters: { InstanceIds: jsonata('$idsToTerminate') },
  });
  const pause = pauseOf(scope, phase, HOST_POLLING, ELAPSED);
  const findGroups = apiCall(scope, `${phase}: find placement groups`, {
    comment: 'A placement group can be deleted only when it is empty',
    service: 'ec2',
    action: 'describePlacementGroups',
    parameters: { Filters: pairTags },
    assign: {
      groupNames: jsonata('[$states.result.PlacementGroups[$not(State in ["deleting", "deleted"])].GroupName]'),
    },
    outputs: jsonata('[$states.result.PlacementGroups.GroupName]'),
  });
  const deleteGroup = apiCall(scope, `${phase}: delete placement group`, {
    service: 'ec2',
    action: 'deletePlacementGroup',
    parameters: { GroupName: jsonata('$groupNames[0]') },
    retry: PLACEMENT_GROUP_IN_USE_RETRY,
  });
  const failed = tearDownFailed(scope, phase, incomplete);

  const isOverdue = when(`${ELAPSED} > $tearDownDeadlineSeconds`);
  const afterDeadline = ' after " & $string($tearDownDeadlineSeconds) & " s"';
  const hostsRemain = `$join($remainingIds, ", ") & " not terminated${afterDeadline}`;
  const hostsLeft = Choice.jsonata(scope, `${phase}: hosts left?`)
    // A page may have few hosts or none although the next one has some.
    .when(when('$nextPage != ""'), findMore)
    .when(when('$count($remainingIds) = 0'), findGroups)
    .when(isOverdue, failed, failingWith(hostsRemain))
    .when(when('$count($idsToTerminate) > 0'), terminate)
    .otherwise(pause);
  const groupsRemain = `"placement group " & $join($groupNames, ", ") & " not deleted${afterDeadline}`;
  const groupsLeft = Choice.jsonata(scope, `${phase}: placement groups left?`)
    .when(when('$count($groupNames) = 0'), next)
    .when(isOverdue, failed, failingWith(groupsRemain))
    .otherwise(deleteGroup);

  catchAll([findHosts, findMore, terminate, findGroups, deleteGroup], failed);
  begin.next(findHosts).next(hostsLeft);
  findMore.next(hostsLeft);
  terminate.next(pause).next(findHosts);
  findGroups.next(groupsLeft);
  // Pause first, because EC2 may still list a placement group for a while after its deletion.
  deleteGroup.next(pause);
  return begin;
}

/** Records that a part of the teardown failed, and continues. */
export function tearDownFailed(scope: Construct, phase: string, next: State): State {
  const failed = Pass.jsonata(scope, `${phase}: failed`, {
    comment: 'The pair fails; reap-run and sweep-orphans try again later',
    assign: { failures: jsonata('$append($failures, ["teardown: " & $failureReason])') },
  });
  failed.next(next);
  return failed;
}
