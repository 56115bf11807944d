/** CloudFormation: a deployed stack, its outputs and its resources. */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { allOf, answered, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new CloudFormationClient(REPEATED_BY_SDK);

export interface StackDescription {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** @throws `ValidationError` when there is no such stack */
export async function describeStack(stackName: string): Promise<StackDescription> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const stack = answered(Stacks?.[0], `DescribeStacks ${stackName}`);
  const outputs = (stack.Outputs ?? []).map(
    ({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const,
  );
  return { status: answered(stack.StackStatus, 'DescribeStacks.StackStatus'), outputs: Object.fromEntries(outputs) };
}

export interface StackResource {
  /** `AWS::SSM::Document` */
  readonly type: string;
  readonly physicalId: string;
}

/** All resources: unlike DescribeStackResources, which ends after the first hundred. */
export async function listStackResources(stackName: string): Promise<StackResource[]> {
  const pages = paginateListStackResources({ client }, { StackName: stackName });
  const resources = await allOf(pages, (page) => page.StackResourceSummaries);
  return resources.map(({ ResourceType, PhysicalResourceId }) => ({
    type: answered(ResourceType, 'ListStackResources.ResourceType'),
    physicalId: PhysicalResourceId ?? '',
  }));
}
