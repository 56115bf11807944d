/**
 * Permissions that no line of ours calls for by name, but that a call of ours, or the way its caller is wired, cannot do
 * without. Each with the page that says so; an entry that nobody needs fails the test.
 */
export interface ImpliedPermission {
  readonly actions: readonly string[];
  /** Any of these calls, or kinds of principal, needs the actions. */
  readonly by: readonly string[];
  readonly source: string;
}

export const IMPLIED_PERMISSIONS: readonly ImpliedPermission[] = [
  {
    actions: ['iam:PassRole'],
    by: ['ec2:RunInstances'],
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/permission-to-pass-iam-roles.html',
  },
  {
    actions: ['ec2:CreateTags'],
    by: ['ec2:RunInstances', 'ec2:CreatePlacementGroup', 'ec2:CreateSecurityGroup'],
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/supported-iam-actions-tagging.html',
  },
  {
    actions: [
      'ec2:DescribeAccountAttributes',
      'ec2:DescribeAddresses',
      'ec2:DescribeInternetGateways',
      'ec2:DescribeSubnets',
      'ec2:DescribeVpcs',
      'iam:CreateServiceLinkedRole',
    ],
    by: ['elasticloadbalancing:CreateLoadBalancer'],
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html',
  },
  {
    // Whoever gives a load balancer security groups is asked whether they may see those of its network.
    actions: ['ec2:GetSecurityGroupsForVpc'],
    by: ['elasticloadbalancing:CreateLoadBalancer'],
    source: 'https://docs.aws.amazon.com/aws-managed-policy/latest/reference/ElasticLoadBalancingFullAccess.html',
  },
  {
    actions: ['elasticloadbalancing:AddTags'],
    by: ['elasticloadbalancing:CreateLoadBalancer'],
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/tagging-resources-during-creation.html',
  },
  {
    actions: [
      'states:DescribeExecution',
      'states:StopExecution',
      'events:PutTargets',
      'events:PutRule',
      'events:DescribeRule',
    ],
    by: ['states:startExecution.sync:2'],
    source: 'https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html',
  },
  {
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    by: ['function'],
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs.html',
  },
  {
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    by: ['event source'],
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html',
  },
  {
    actions: [
      'logs:CreateLogDelivery',
      'logs:GetLogDelivery',
      'logs:UpdateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:DescribeResourcePolicies',
      'logs:DescribeLogGroups',
    ],
    by: ['state machine'],
    source: 'https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html',
  },
  {
    // Without it S3 answers a missing key with "access denied".
    actions: ['s3:ListBucket'],
    by: ['s3:GetObject'],
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html',
  },
  {
    actions: ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartitions'],
    by: ['athena:StartQueryExecution'],
    source: 'https://docs.aws.amazon.com/athena/latest/ug/fine-grained-access-to-glue-resources.html',
  },
  {
    // Athena reads the rows, and keeps its results, as its caller.
    actions: ['s3:GetBucketLocation', 's3:GetObject'],
    by: ['athena:StartQueryExecution'],
    source: 'https://docs.aws.amazon.com/athena/latest/ug/s3-permissions.html',
  },
];

/** Calls that take no resource, so that a statement can only say `*`. */
export const CALLS_WITHOUT_RESOURCE = {
  actions: [
    'ec2:DescribeAccountAttributes',
    'ec2:DescribeAddresses',
    'ec2:DescribeInstances',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribePlacementGroups',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
    // Elastic Load Balancing's own policies give it on `*` too.
    'ec2:GetSecurityGroupsForVpc',
    'elasticloadbalancing:DescribeListeners',
    'elasticloadbalancing:DescribeLoadBalancers',
    'elasticloadbalancing:DescribeTags',
    'elasticloadbalancing:DescribeTargetGroups',
    'elasticloadbalancing:DescribeTargetHealth',
    'ssm:CancelCommand',
    'ssm:DescribeInstanceInformation',
    'ssm:ListCommandInvocations',
    'ssm:ListCommands',
  ],
  sources: [
    'https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html',
    'https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancing.html',
    'https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssystemsmanager.html',
    'https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html',
  ],
};
