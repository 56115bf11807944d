/** Roles are built from grants. A grant lists calls, resources, conditions, and the reason for a wildcard. */
import { Stack, Validations } from 'aws-cdk-lib';
import { type IPrincipal, PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { groupBy } from '../domain/maths/elements';
import { ResourceTag } from '../domain/workflow/resource-tags';
import type { HostVpcs } from './settings';

export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Required if a resource contains a wildcard. */
  readonly wildcardReason?: string;
  /** The customer's key of the objects, which the role must be able to use as well. */
  readonly keyArn?: string;
}

export interface GrantedRoleProps {
  readonly assumedBy: IPrincipal;
  readonly description: string;
  readonly grants: readonly Grant[];
}

/** A role with inline grants, because some services check its permissions while they create what uses the role. */
export class GrantedRole extends Role {
  constructor(scope: Construct, id: string, props: GrantedRoleProps) {
    super(scope, id, {
      assumedBy: props.assumedBy,
      description: props.description,
      inlinePolicies: {
        Grants: new PolicyDocument({
          statements: [...props.grants, ...keyGrants(scope, props.grants)].map(
            ({ actions, resources, conditions }) =>
              new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
          ),
        }),
      },
    });
    acknowledgeWildcards(this, props.grants);
  }
}

/** What a call on an object needs of the object's key. Athena uploads large results in parts, and reads them back. */
const KEY_CALLS: Readonly<Record<string, string>> = {
  's3:GetObject': 'kms:Decrypt',
  's3:PutObject': 'kms:GenerateDataKey',
  's3:AbortMultipartUpload': 'kms:Decrypt',
};

function keyGrants(scope: Construct, grants: readonly Grant[]): Grant[] {
  const { region, urlSuffix } = Stack.of(scope);
  const conditions = { StringEquals: { 'kms:ViaService': `s3.${region}.${urlSuffix}` } };
  return [...groupBy(grants, ({ keyArn }) => keyArn)].flatMap(([keyArn, ofKey]) => {
    const actions = [...new Set(ofKey.flatMap((grant) => grant.actions.flatMap((action) => KEY_CALLS[action] ?? [])))];
    return keyArn === undefined ? [] : { actions: actions.sort(), resources: [keyArn], conditions };
  });
}

/** Tells cdk-nag the reason for each wildcard; cdk-nag reports one finding per resource with a wildcard. */
function acknowledgeWildcards(role: Role, grants: readonly Grant[]): void {
  const stack = Stack.of(role);
  const reasons = new Map<string, Set<string>>();
  for (const grant of grants) {
    for (const resource of grant.resources) {
      const name = findingName(stack.resolve(resource) as ResolvedResource);
      if (!name.includes('*')) continue;
      if (grant.wildcardReason === undefined) {
        throw new Error(
          `${role.node.path}: grant of ${grant.actions.join(', ')} on ${name}: must give the reason for the wildcard`,
        );
      }
      reasons.set(name, (reasons.get(name) ?? new Set()).add(grant.wildcardReason));
    }
  }
  for (const [name, texts] of reasons) {
    Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${name}]`, reason: [...texts].join('; ') });
  }
}

type ResolvedResource = string | Intrinsic;

/** The CloudFormation functions that may occur in the resource of a grant. */
interface Intrinsic {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
  readonly 'Fn::Join'?: readonly [separator: string, parts: readonly ResolvedResource[]];
}

/** Writes a resource as cdk-nag does in a finding, with references in angle brackets. */
function findingName(resource: ResolvedResource): string {
  if (typeof resource === 'string') return resource.replace(/\$\{([^}]+)\}/g, '<$1>');
  const { Ref: reference, 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource;
  if (reference !== undefined) return `<${reference}>`;
  if (attribute !== undefined) return `<${attribute.join('.')}>`;
  if (join !== undefined) return join[1].map(findingName).join(join[0]);
  throw new Error(
    `resource of a grant: must be a string, Ref, Fn::GetAtt or Fn::Join, got ${JSON.stringify(resource)}`,
  );
}

/** The ARN of an EC2 resource, by default of all resources of this type. */
export function ec2Arn(scope: Construct, resource: string, resourceName = '*'): string {
  return Stack.of(scope).formatArn({ service: 'ec2', resource, resourceName });
}

export function vpcArns(scope: Construct, vpcs: HostVpcs): string[] {
  return vpcs === 'any' ? [ec2Arn(scope, 'vpc')] : vpcs.map((vpcId) => ec2Arn(scope, 'vpc', vpcId));
}

export const ANY_NETWORK_REASON = 'the deployment allows hosts in every network of the account (context hostVpcs)';

/** For calls to which IAM can't apply a resource. */
export function callsWithoutResource(...actions: string[]): Grant {
  const wildcardReason = 'these calls accept no resource (Service Authorization Reference)';
  return { actions, resources: ['*'], wildcardReason };
}

/** Permits calls on resources that already have the stack's tag. */
export function onOwnResources(scope: Construct, actions: readonly string[], resources: readonly string[]): Grant {
  return {
    actions,
    resources,
    conditions: { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: Stack.of(scope).stackName } },
    wildcardReason: OWN_TAG_REASON,
  };
}

export const OWN_TAG_REASON =
  "these resources come and go with every pair; the condition requires the stack's tag on them";

/** Permits calls that create resources, if they give them the stack's tag. */
export function createTagged(scope: Construct, actions: readonly string[], resources: readonly string[]): Grant {
  return {
    actions,
    resources,
    conditions: { StringEquals: { [`aws:RequestTag/${ResourceTag.stack}`]: Stack.of(scope).stackName } },
    wildcardReason:
      "these resources do not exist before the call; the condition makes the call put the stack's tag on them",
  };
}

/** Permits tagging only as part of these creating calls, and never later. */
export function tagOnCreate(
  service: 'ec2' | 'elasticloadbalancing',
  creatingCalls: readonly string[],
  resources: readonly string[],
): Grant {
  return {
    actions: [service === 'ec2' ? 'ec2:CreateTags' : 'elasticloadbalancing:AddTags'],
    resources,
    conditions: { StringEquals: { [`${service}:CreateAction`]: creatingCalls } },
    wildcardReason: 'the condition allows this only as part of the call that creates the resource',
  };
}

export function onExecutions(actions: readonly string[], ...resources: string[]): Grant {
  return { actions, resources, wildcardReason: 'the name of an execution contains the id of its run' };
}

export function terminateOwnHosts(scope: Construct): Grant {
  return onOwnResources(scope, ['ec2:TerminateInstances'], [ec2Arn(scope, 'instance')]);
}

export function deleteOwnPlacementGroups(scope: Construct): Grant {
  return onOwnResources(scope, ['ec2:DeletePlacementGroup'], [ec2Arn(scope, 'placement-group')]);
}

export function readObjects(bucket: IBucket, keys: readonly string[]): Grant {
  return objectGrant('s3:GetObject', bucket, keys);
}

export function writeObjects(bucket: IBucket, keys: readonly string[]): Grant {
  return objectGrant('s3:PutObject', bucket, keys);
}

export function deleteObjects(bucket: IBucket, keys: readonly string[]): Grant {
  return objectGrant('s3:DeleteObject', bucket, keys);
}

/** Athena uploads large results in parts, and discards the parts if a query is stopped. */
export function abortUploads(bucket: IBucket, keys: readonly string[]): Grant {
  return objectGrant('s3:AbortMultipartUpload', bucket, keys);
}

function objectGrant(action: string, bucket: IBucket, keys: readonly string[]): Grant {
  const resources = keys.map((key) => bucket.arnForObjects(key));
  const wildcardReason = 'the keys contain days and the ids of runs and hosts';
  return { actions: [action], resources, wildcardReason, keyArn: bucket.encryptionKey?.keyArn };
}

/** Permits listing. Without it, S3 responds to a missing key with "access denied" instead of "no such key". */
export function listObjects(bucket: IBucket, prefixes: readonly string[]): Grant {
  return {
    actions: ['s3:ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
  };
}
