/**
 * Permissions for calls that do not appear in our code, but that one of our calls, or the kind of its caller, needs.
 * Each entry names the page that says so. A test fails on an entry that no role needs.
 */
export interface ImpliedPermission {
  readonly actions: readonly string[];
  /** The calls, and the kinds of principal, that need the actions. */
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
    // Elastic Load Balancing checks that the caller may list the security groups of the network.
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
    actions: ['sqs:SendMessage'],
    by: ['dead-letter queue'],
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
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
    // Without this permission S3 answers a request for a missing key with "access denied".
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
    // Athena reads the rows and writes its results with the permissions of its caller.
    actions: ['s3:GetBucketLocation', 's3:GetObject', 's3:AbortMultipartUpload'],
    by: ['athena:StartQueryExecution'],
    source: 'https://docs.aws.amazon.com/athena/latest/ug/s3-permissions.html',
  },
];
