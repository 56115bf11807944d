/** A deployed stack, its outputs and its resources, for the commands of a checkout. */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { REPEATED_BY_SDK, allOf, answered } from './answers';

const client = new CloudFormationClient(REPEATED_BY_SDK);

interface StackDescription {
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

interface StackResource {
  /** `FunctionsPublishRunHandler0123ABCD` */
  readonly logicalId: string;
  /** `AWS::SSM::Document` */
  readonly type: string;
  readonly physicalId: string;
}

/** All resources: unlike DescribeStackResources, which ends after the first hundred. */
export async function listStackResources(stackName: string): Promise<StackResource[]> {
  const pages = paginateListStackResources({ client }, { StackName: stackName });
  const resources = await allOf(pages, (page) => page.StackResourceSummaries);
  return resources.map(({ LogicalResourceId, ResourceType, PhysicalResourceId }) => ({
    logicalId: answered(LogicalResourceId, 'ListStackResources.LogicalResourceId'),
    type: answered(ResourceType, 'ListStackResources.ResourceType'),
    physicalId: PhysicalResourceId ?? '',
  }));
}
