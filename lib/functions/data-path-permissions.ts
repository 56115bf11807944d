/** What connecting and disconnecting a pair takes: security groups and load balancers of single pairs, by tag and name. */
import { REPORTS_PREFIX } from '../../domain/workflow/object-keys';
import { RESOURCE_NAME_PREFIX } from '../../domain/workflow/resource-tags';
import type { Grant } from '../least-privilege';
import type { TestNetwork } from '../test-network/test-network';
import { BY_TAG, Grants, IN_THE_MAKING, NO_RESOURCES } from './grants';

export class DataPathPermissions extends Grants {
  connectPair(network: TestNetwork): Grant[] {
    const loadBalancer = this.elb('loadbalancer/net');
    const targetGroup = this.elb('targetgroup');
    const listener = this.elb('listener/net');
    return [
      this.read(`${REPORTS_PREFIX}*/plan.json`, `${REPORTS_PREFIX}*/pairs/*.json`),
      ...this.createSecurityGroups(network),
      {
        actions: ['ec2:AuthorizeSecurityGroupIngress'],
        resources: [this.ec2('security-group')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
      {
        actions: [
          'ec2:DescribeInstances',
          'ec2:DescribeNetworkInterfaces',
          // What Elastic Load Balancing looks up with its caller's permissions.
          'ec2:DescribeAccountAttributes',
          'ec2:DescribeAddresses',
          'ec2:DescribeInternetGateways',
          'ec2:DescribeSubnets',
          'ec2:DescribeVpcs',
          'ec2:GetSecurityGroupsForVpc',
          'elasticloadbalancing:DescribeListeners',
          'elasticloadbalancing:DescribeLoadBalancers',
          'elasticloadbalancing:DescribeTargetGroups',
          'elasticloadbalancing:DescribeTargetHealth',
        ],
        resources: ['*'],
        wildcardReason: NO_RESOURCES,
      },
      {
        actions: ['elasticloadbalancing:CreateLoadBalancer', 'elasticloadbalancing:CreateTargetGroup'],
        resources: [loadBalancer, targetGroup],
        conditions: this.requestTag(),
        wildcardReason: IN_THE_MAKING,
      },
      {
        actions: ['elasticloadbalancing:AddTags'],
        resources: [loadBalancer, targetGroup, listener],
        conditions: {
          StringEquals: {
            'elasticloadbalancing:CreateAction': ['CreateLoadBalancer', 'CreateTargetGroup', 'CreateListener'],
          },
        },
        wildcardReason: 'only as part of the calls that create them, by the condition',
      },
      {
        actions: [
          'elasticloadbalancing:CreateListener',
          'elasticloadbalancing:ModifyListenerAttributes',
          'elasticloadbalancing:RegisterTargets',
        ],
        resources: [loadBalancer, listener, targetGroup],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
      {
        // The account's first load balancer makes the service's own role.
        actions: ['iam:CreateServiceLinkedRole'],
        resources: [
          `arn:${this.stack.partition}:iam::${this.stack.account}:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing`,
        ],
        conditions: { StringEquals: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' } },
      },
    ];
  }

  /** Of a pair: in the stack's network, and with its tag. */
  protected createSecurityGroups(network: TestNetwork): Grant[] {
    return [
      {
        actions: ['ec2:CreateSecurityGroup'],
        resources: [this.ec2('security-group')],
        conditions: this.requestTag(),
        wildcardReason: IN_THE_MAKING,
      },
      { actions: ['ec2:CreateSecurityGroup'], resources: [this.ec2('vpc', network.vpcId)] },
      {
        actions: ['ec2:CreateTags'],
        resources: [this.ec2('security-group')],
        conditions: { StringEquals: { 'ec2:CreateAction': ['CreateSecurityGroup'] } },
        wildcardReason: 'only as part of the call that creates them, by the condition',
      },
      { actions: ['ec2:DescribeSecurityGroups'], resources: ['*'], wildcardReason: NO_RESOURCES },
    ];
  }

  /** disconnect-pair, and whoever removes everything of a pair. */
  removeOwnDataPaths(): Grant[] {
    return [
      {
        actions: [
          'ec2:DescribeSecurityGroups',
          'elasticloadbalancing:DescribeLoadBalancers',
          'elasticloadbalancing:DescribeTargetGroups',
          'elasticloadbalancing:DescribeTags',
        ],
        resources: ['*'],
        wildcardReason: NO_RESOURCES,
      },
      {
        actions: ['elasticloadbalancing:DeleteLoadBalancer', 'elasticloadbalancing:DeleteTargetGroup'],
        resources: [this.elb('loadbalancer/net'), this.elb('targetgroup')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
      {
        actions: ['ec2:RevokeSecurityGroupIngress', 'ec2:DeleteSecurityGroup'],
        resources: [this.ec2('security-group')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
    ];
  }

  /** Of pairs, by their names. */
  private elb(resource: string): string {
    return this.stack.formatArn({
      service: 'elasticloadbalancing',
      resource,
      resourceName: `${RESOURCE_NAME_PREFIX}*`,
    });
  }
}
