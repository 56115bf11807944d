/** Roles that are built from grants: each states calls, resources, conditions, and the reason for a wildcard. */
import { Stack, Validations } from 'aws-cdk-lib';
import type { IPrincipal } from 'aws-cdk-lib/aws-iam';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Required when a resource contains a wildcard. */
  readonly wildcardReason?: string;
}

export interface GrantedRoleProps {
  readonly assumedBy: IPrincipal;
  readonly description: string;
  readonly grants: readonly Grant[];
}

/**
 * A role with inline grants, so that it never exists without them: some services check the permissions of a role while
 * they create the resource that uses it.
 */
export class GrantedRole extends Role {
  constructor(scope: Construct, id: string, props: GrantedRoleProps) {
    super(scope, id, {
      assumedBy: props.assumedBy,
      description: props.description,
      inlinePolicies: {
        Grants: new PolicyDocument({
          statements: props.grants.map(
            ({ actions, resources, conditions }) =>
              new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
          ),
        }),
      },
    });
    acknowledgeWildcards(this, props.grants);
  }
}

/** Gives cdk-nag the reason for each wildcard; cdk-nag reports one finding per resource that contains one. */
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

/** The CloudFormation functions that the resource of a grant consists of. */
interface Intrinsic {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
  readonly 'Fn::Join'?: readonly [separator: string, parts: readonly ResolvedResource[]];
}

/** A resource as cdk-nag writes it into a finding, with references in angle brackets. */
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
