/** Roles made of grants: what is called, on what, under which condition, and why a wildcard is as narrow as it gets. */
import { Stack, Validations } from 'aws-cdk-lib';
import type { IPrincipal } from 'aws-cdk-lib/aws-iam';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Required beside a resource with a wildcard. */
  readonly wildcardReason?: string;
}

export interface GrantedRoleProps {
  readonly assumedBy: IPrincipal;
  readonly description: string;
  readonly grants: readonly Grant[];
}

/** The grants are inline, so that the role is never there without them: some services test them at creation. */
export class GrantedRole extends Role {
  constructor(scope: Construct, id: string, props: GrantedRoleProps) {
    super(scope, id, {
      assumedBy: props.assumedBy,
      description: props.description,
      inlinePolicies: {
        Grants: new PolicyDocument({
          statements: props.grants.map(
            ({ actions, resources, conditions }) =>
              new PolicyStatement({
                actions: [...actions],
                resources: [...resources],
                conditions: conditions as Record<string, unknown>,
              }),
          ),
        }),
      },
    });
    acknowledgeWildcards(this, props.grants);
  }
}

/** Tells cdk-nag the reason of each wildcard, one finding at a time. */
function acknowledgeWildcards(role: Role, grants: readonly Grant[]): void {
  const stack = Stack.of(role);
  const reasons = new Map<string, Set<string>>();
  for (const grant of grants) {
    for (const resource of grant.resources) {
      const flat = flatten(stack.resolve(resource));
      if (!flat.includes('*')) continue;
      if (grant.wildcardReason === undefined) {
        throw new Error(
          `${role.node.path}: grant of ${grant.actions.join(', ')} on ${flat}: must say why the wildcard is needed`,
        );
      }
      reasons.set(flat, (reasons.get(flat) ?? new Set()).add(grant.wildcardReason));
    }
  }
  for (const [resource, texts] of reasons) {
    Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason: [...texts].join('; ') });
  }
}

/** A resource as cdk-nag names it in a finding: references in angle brackets. */
function flatten(resource: unknown): string {
  if (typeof resource === 'string') return resource.replace(/\$\{([^}]+)\}/g, '<$1>');
  const [name, value] = Object.entries(resource as Record<string, unknown>)[0]!;
  switch (name) {
    case 'Ref':
      return `<${String(value)}>`;
    case 'Fn::GetAtt':
      return `<${(value as string[]).join('.')}>`;
    case 'Fn::Join': {
      const [separator, parts] = value as [string, unknown[]];
      return parts.map(flatten).join(separator);
    }
    default:
      throw new Error(`resource of a grant: must be a string, Ref, Fn::GetAtt or Fn::Join, got ${name}`);
  }
}
