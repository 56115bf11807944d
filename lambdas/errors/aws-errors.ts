/**
 * The names of the AWS errors that decide something in handlers or `npm run prove`, by botocore's name of the service.
 * The SDK names a modelled error after its class and any other error after the service's error code. Comparisons accept
 * only these names, and a test checks each name against AWS's own models and lists.
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
  freetier: ['AccessDeniedException', 'ResourceNotFoundException'],
  s3: ['ConditionalRequestConflict', 'NoSuchBucket', 'NoSuchKey', 'NoSuchTagSet', 'PreconditionFailed'],
  ssm: ['InvalidDocument', 'InvalidInstanceId', 'InvocationDoesNotExist', 'ParameterNotFound'],
  stepfunctions: ['ExecutionDoesNotExist'],
} as const;

export type AwsErrorName = (typeof AWS_ERROR_NAMES)[keyof typeof AWS_ERROR_NAMES][number];

/** An AWS error, or our adapter's error for a launch attempt whose host was terminated. */
export type DecidedErrorName = AwsErrorName | 'TerminatedHost';

/**
 * The service's error code, which the SDK puts into the name of the error. Compare it with `isNamed` or
 * `withExpectedErrors`, which accept only known names; a lint rule rejects other comparisons.
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

/** The error's code and message, for example `RequestLimitExceeded: Request limit exceeded.` */
export function errorText(error: unknown): string {
  return `${errorCode(error)}: ${errorMessage(error)}`;
}
