/** Building blocks for the grants of handlers and state machines: conditions on the stack's tag, ARNs, and S3 keys. */
import { Stack } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { ResourceTag } from '../domain/workflow/resource-tags';
import type { Grant } from './least-privilege';

type Conditions = NonNullable<Grant['conditions']>;

/** Reasons for a wildcard that several grants share. */
export const WildcardReason = {
  callTakesNoResource: 'these calls accept no resource (Service Authorization Reference)',
  ownTag: "these resources come and go with every pair; the condition requires the stack's tag on them",
  newResource: "these resources do not exist before the call; the condition makes the call put the stack's tag on them",
  tagOnCreate: 'the condition allows this only as part of the call that creates the resource',
  executionName: 'the name of an execution contains the id of its run',
} as const;

/** The call must put the stack's tag on what it creates. */
export function requestTag(scope: Construct): Conditions {
  return { StringEquals: { [`aws:RequestTag/${ResourceTag.stack}`]: Stack.of(scope).stackName } };
}

/** The resource must carry the stack's tag already. */
export function ownTag(scope: Construct): Conditions {
  return { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: Stack.of(scope).stackName } };
}

/** ARN of an EC2 resource; by default of all resources of the type. */
export function ec2Arn(scope: Construct, resource: string, resourceName = '*'): string {
  return Stack.of(scope).formatArn({ service: 'ec2', resource, resourceName });
}

export function terminateOwnHosts(scope: Construct): Grant {
  return {
    actions: ['ec2:TerminateInstances'],
    resources: [ec2Arn(scope, 'instance')],
    conditions: ownTag(scope),
    wildcardReason: WildcardReason.ownTag,
  };
}

export function deleteOwnPlacementGroups(scope: Construct): Grant {
  return {
    actions: ['ec2:DeletePlacementGroup'],
    resources: [ec2Arn(scope, 'placement-group')],
    conditions: ownTag(scope),
    wildcardReason: WildcardReason.ownTag,
  };
}

export function readObjects(bucket: IBucket, ...keys: string[]): Grant {
  return objectGrant('s3:GetObject', bucket, keys);
}

export function writeObjects(bucket: IBucket, ...keys: string[]): Grant {
  return objectGrant('s3:PutObject', bucket, keys);
}

/**
 * Permits listing. Without it, S3 answers a request for a missing object with "access denied", not with "no such key".
 */
export function listObjects(bucket: IBucket, ...prefixes: string[]): Grant {
  return {
    actions: ['s3:ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
  };
}

function objectGrant(action: string, bucket: IBucket, keys: readonly string[]): Grant {
  return {
    actions: [action],
    resources: keys.map((key) => bucket.arnForObjects(key)),
    wildcardReason: 'the keys contain days and the ids of runs and hosts',
  };
}
