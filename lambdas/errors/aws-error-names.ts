/**
 * The names of AWS's errors that handlers and `npm run prove` decide on, by botocore's name of the service. The SDK
 * gives a modelled error the name of its class, and any other the code that the service answered. No other name can be
 * decided on: the type below is what the comparisons take, and a test compares every name with AWS's own models and
 * lists.
 */
export const AWS_ERROR_NAMES = {
  ec2: [
    'DependencyViolation',
    'InsufficientCapacity',
    'InsufficientFreeAddressesInSubnet',
    'InsufficientHostCapacity',
    'InsufficientInstanceCapacity',
    'InvalidGroup.Duplicate',
    'InvalidGroup.NotFound',
    'InvalidInstanceID.NotFound',
    'InvalidPermission.Duplicate',
    'InvalidPermission.NotFound',
    'InvalidPlacementGroup.Duplicate',
    'InvalidPlacementGroup.InUse',
    'InvalidPlacementGroup.Unknown',
    'InvalidSecurityGroupID.NotFound',
    'Unsupported',
  ],
  elbv2: [
    'AvailabilityZoneNotSupportedException',
    'DuplicateListenerException',
    'DuplicateLoadBalancerNameException',
    'DuplicateTargetGroupNameException',
    'InvalidSecurityGroupException',
    'ListenerNotFoundException',
    'LoadBalancerNotFoundException',
    'ResourceInUseException',
    'TargetGroupNotFoundException',
  ],
  s3: ['ConditionalRequestConflict', 'NoSuchBucket', 'NoSuchKey', 'NoSuchTagSet', 'PreconditionFailed'],
  ssm: ['InvalidDocument', 'InvalidInstanceId', 'InvocationDoesNotExist', 'ParameterNotFound'],
  stepfunctions: ['ExecutionDoesNotExist'],
} as const;

export type AwsErrorName = (typeof AWS_ERROR_NAMES)[keyof typeof AWS_ERROR_NAMES][number];

/** What is decided on: an error of AWS, or the one that our own adapter throws when an attempt to launch is used up. */
export type DecidedErrorName = AwsErrorName | 'TerminatedHost';
