/** Permits connect-pair and disconnect-pair calls on the security groups and load balancers of single pairs. */
import { Stack } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { pairHostsKey, planKey, probedPathKey } from '../../domain/workflow/object-keys';
import { RESOURCE_NAME_PREFIX } from '../../domain/workflow/resource-tags';
import {
  ANY_NETWORK_REASON,
  callsWithoutResource,
  createTagged,
  ec2Arn,
  onOwnResources,
  readObjects,
  tagOnCreate,
  vpcArns,
  writeObjects,
  type Grant,
} from '../grants';
import type { TestNetwork } from '../test-network/test-network';
import type { HostVpcs } from '../settings';

export function connectPairGrants(scope: Construct, bucket: IBucket, network: TestNetwork): Grant[] {
  const { partition, account } = Stack.of(scope);
  const loadBalancer = loadBalancingArn(scope, 'loadbalancer/net');
  const targetGroup = loadBalancingArn(scope, 'targetgroup');
  const listener = loadBalancingArn(scope, 'listener/net');
  return [
    readObjects(bucket, [planKey('*'), pairHostsKey('*', '*')]),
    writeObjects(bucket, [probedPathKey('*', '*')]),
    ...createSecurityGroupGrants(scope, [network.vpcId]),
    admitTrafficGrant(scope),
    callsWithoutResource(
      'ec2:DescribeInstances',
      'ec2:DescribeNetworkInterfaces',
      // Elastic Load Balancing makes the next six calls with the permissions of its caller.
      'ec2:DescribeAccountAttributes',
      'ec2:DescribeAddresses',
      'ec2:DescribeInternetGateways',
      'ec2:DescribeSubnets',
      'ec2:DescribeVpcs',
      'ec2:GetSecurityGroupsForVpc',
      'elasticloadbalancing:DescribeListeners',
      'elasticloadbalancing:DescribeLoadBalancers',
      'elasticloadbalancing:DescribeTags',
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTargetHealth',
    ),
    createTagged(
      scope,
      ['elasticloadbalancing:CreateLoadBalancer', 'elasticloadbalancing:CreateTargetGroup'],
      [loadBalancer, targetGroup],
    ),
    tagOnCreate(
      'elasticloadbalancing',
      ['CreateLoadBalancer', 'CreateTargetGroup', 'CreateListener'],
      [loadBalancer, targetGroup, listener],
    ),
    onOwnResources(
      scope,
      [
        'elasticloadbalancing:CreateListener',
        'elasticloadbalancing:ModifyListenerAttributes',
        'elasticloadbalancing:RegisterTargets',
      ],
      [loadBalancer, listener, targetGroup],
    ),
    {
      // The first load balancer of an account creates the service-linked role of Elastic Load Balancing.
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [
        `arn:${partition}:iam::${account}:role/aws-service-role/` +
          'elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing',
      ],
      conditions: { StringEquals: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' } },
    },
  ];
}

/** Permits creating security groups only in these VPCs and only with the stack's tag. */
export function createSecurityGroupGrants(scope: Construct, vpcs: HostVpcs): Grant[] {
  const securityGroups = [ec2Arn(scope, 'security-group')];
  return [
    createTagged(scope, ['ec2:CreateSecurityGroup'], securityGroups),
    {
      actions: ['ec2:CreateSecurityGroup'],
      resources: vpcArns(scope, vpcs),
      wildcardReason: ANY_NETWORK_REASON,
    },
    tagOnCreate('ec2', ['CreateSecurityGroup'], securityGroups),
    callsWithoutResource('ec2:DescribeSecurityGroups'),
  ];
}

/** Permits adding rules only to security groups of pairs, which have the stack's tag. */
export function admitTrafficGrant(scope: Construct): Grant {
  return onOwnResources(scope, ['ec2:AuthorizeSecurityGroupIngress'], [ec2Arn(scope, 'security-group')]);
}

export function removeDataPathGrants(scope: Construct): Grant[] {
  return [
    callsWithoutResource(
      'ec2:DescribeSecurityGroups',
      'elasticloadbalancing:DescribeLoadBalancers',
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTags',
    ),
    onOwnResources(
      scope,
      ['elasticloadbalancing:DeleteLoadBalancer', 'elasticloadbalancing:DeleteTargetGroup'],
      [loadBalancingArn(scope, 'loadbalancer/net'), loadBalancingArn(scope, 'targetgroup')],
    ),
    onOwnResources(
      scope,
      ['ec2:RevokeSecurityGroupIngress', 'ec2:DeleteSecurityGroup'],
      [ec2Arn(scope, 'security-group')],
    ),
  ];
}

/** The ARN that matches the Elastic Load Balancing resources of all pairs by the common beginning of their names. */
function loadBalancingArn(scope: Construct, resource: string): string {
  const resourceName = `${RESOURCE_NAME_PREFIX}*`;
  return Stack.of(scope).formatArn({ service: 'elasticloadbalancing', resource, resourceName });
}
