import type { CfnResource } from 'aws-cdk-lib';

const AT_A_TIME = 5;

/**
 * Makes CloudFormation create, update and delete at most five of these at the same time, because Systems Manager and
 * Athena throttle a dozen calls that come at once, and a throttled resource fails the deployment.
 */
export function fiveAtATime<Resource extends CfnResource>(resources: readonly Resource[]): readonly Resource[] {
  for (const [index, resource] of resources.entries()) {
    const before = resources[index - AT_A_TIME];
    if (before !== undefined) resource.addResourceDependency(before);
  }
  return resources;
}
