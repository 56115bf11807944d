/** Network Load Balancers and target groups by their tags, and their end. */
import {
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DescribeTagsCommand,
  ElasticLoadBalancingV2Client,
  ElasticLoadBalancingV2ServiceException,
  paginateDescribeLoadBalancers,
  paginateDescribeTargetGroups,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { RESOURCE_NAME_PREFIX } from '../../domain/workflow/resource-tags';
import { plainTags, type Tags } from './ec2-tags';
import { REPEATED_BY_SDK } from './retries';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_SDK);

/** DescribeTags takes no more. */
const TAGGED_PER_CALL = 20;

export interface TaggedElbResource {
  readonly arn: string;
  readonly name: string;
  readonly tags: Tags;
}

interface NamedResource {
  readonly arn: string;
  readonly name: string;
}

export async function findLoadBalancers(tags: Tags): Promise<TaggedElbResource[]> {
  const found: NamedResource[] = [];
  for await (const page of paginateDescribeLoadBalancers({ client }, {})) {
    for (const { LoadBalancerArn, LoadBalancerName } of page.LoadBalancers ?? []) {
      found.push({ arn: LoadBalancerArn!, name: LoadBalancerName! });
    }
  }
  return tagged(found, tags);
}

export async function findTargetGroups(tags: Tags): Promise<TaggedElbResource[]> {
  const found: NamedResource[] = [];
  for await (const page of paginateDescribeTargetGroups({ client }, {})) {
    for (const { TargetGroupArn, TargetGroupName } of page.TargetGroups ?? []) {
      found.push({ arn: TargetGroupArn!, name: TargetGroupName! });
    }
  }
  return tagged(found, tags);
}

/** There is no filter by tag here: those whose name could be ours are asked for their tags. */
async function tagged(all: readonly NamedResource[], wanted: Tags): Promise<TaggedElbResource[]> {
  const named = all.filter(({ name }) => name.startsWith(RESOURCE_NAME_PREFIX));
  const result: TaggedElbResource[] = [];
  for (let start = 0; start < named.length; start += TAGGED_PER_CALL) {
    const batch = named.slice(start, start + TAGGED_PER_CALL);
    for (const [arn, tags] of await tagsOf(batch.map((resource) => resource.arn))) {
      if (Object.entries(wanted).some(([key, value]) => tags[key] !== value)) continue;
      result.push({ arn, name: batch.find((resource) => resource.arn === arn)!.name, tags });
    }
  }
  return result;
}

/** What is gone between the list and its tags has none; the service refuses the whole list for one of them. */
async function tagsOf(arns: readonly string[]): Promise<[arn: string, tags: Tags][]> {
  try {
    const { TagDescriptions } = await client.send(new DescribeTagsCommand({ ResourceArns: [...arns] }));
    return (TagDescriptions ?? []).map(({ ResourceArn, Tags }) => [ResourceArn!, plainTags(Tags)]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (arns.length === 1) return [];
    const one = await Promise.all(arns.map((arn) => tagsOf([arn])));
    return one.flat();
  }
}

/** Its listeners go with it. One that is gone already is not an error. */
export async function deleteLoadBalancer(arn: string): Promise<void> {
  try {
    await client.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: arn }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** @returns false while a listener leads to it; a group that is gone already counts as deleted */
export async function deleteTargetGroup(arn: string): Promise<boolean> {
  try {
    await client.send(new DeleteTargetGroupCommand({ TargetGroupArn: arn }));
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (error instanceof ElasticLoadBalancingV2ServiceException && error.name === 'ResourceInUseException')
      return false;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return (
    error instanceof ElasticLoadBalancingV2ServiceException &&
    ['LoadBalancerNotFoundException', 'TargetGroupNotFoundException'].includes(error.name)
  );
}
