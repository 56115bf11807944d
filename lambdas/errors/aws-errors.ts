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

/**
 * The SDK gives the error code of the service as the name of the error. Whoever decides on it takes `isNamed` or
 * `withExpectedErrors`, which accept known names only; a lint rule finds other comparisons.
 */
export function errorCode(error: unknown): string {
  return error instanceof Error ? error.name : 'UnknownError';
}

export function isNamed(error: unknown, names: ReadonlySet<DecidedErrorName>): boolean {
  return (names as ReadonlySet<string>).has(errorCode(error));
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `RequestLimitExceeded: Request limit exceeded.` */
export function errorText(error: unknown): string {
  return `${errorCode(error)}: ${errorMessage(error)}`;
}
