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
import { answered } from './answered';
import { REPEATED_BY_SDK } from './retries';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_SDK);

/** DescribeTags takes no more ARNs than this. */
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

function namedResource(arn: string | undefined, name: string | undefined): NamedResource {
  return { arn: answered(arn, 'ARN'), name: answered(name, `name of ${arn ?? 'a resource'}`) };
}

export async function findLoadBalancers(tags: Tags): Promise<TaggedElbResource[]> {
  const found: NamedResource[] = [];
  for await (const page of paginateDescribeLoadBalancers({ client }, {})) {
    for (const { LoadBalancerArn, LoadBalancerName } of page.LoadBalancers ?? []) {
      found.push(namedResource(LoadBalancerArn, LoadBalancerName));
    }
  }
  return tagged(found, tags);
}

export async function findTargetGroups(tags: Tags): Promise<TaggedElbResource[]> {
  const found: NamedResource[] = [];
  for await (const page of paginateDescribeTargetGroups({ client }, {})) {
    for (const { TargetGroupArn, TargetGroupName } of page.TargetGroups ?? []) {
      found.push(namedResource(TargetGroupArn, TargetGroupName));
    }
  }
  return tagged(found, tags);
}

/** The service has no filter by tag, so the tags of everything whose name could be ours are read. */
async function tagged(all: readonly NamedResource[], wanted: Tags): Promise<TaggedElbResource[]> {
  const named = all.filter(({ name }) => name.startsWith(RESOURCE_NAME_PREFIX));
  const result: TaggedElbResource[] = [];
  for (let start = 0; start < named.length; start += TAGGED_PER_CALL) {
    const batch = named.slice(start, start + TAGGED_PER_CALL);
    for (const [arn, tags] of await tagsOf(batch.map((resource) => resource.arn))) {
      if (Object.entries(wanted).some(([key, value]) => tags[key] !== value)) continue;
      const name = answered(batch.find((resource) => resource.arn === arn)?.name, `DescribeTags of ${arn}`);
      result.push({ arn, name, tags });
    }
  }
  return result;
}

/**
 * A resource can disappear between the list and this call. The service then refuses the tags of all the others, too.
 */
async function tagsOf(arns: readonly string[]): Promise<[arn: string, tags: Tags][]> {
  try {
    const { TagDescriptions } = await client.send(new DescribeTagsCommand({ ResourceArns: [...arns] }));
    return (TagDescriptions ?? []).map(({ ResourceArn, Tags }) => [
      answered(ResourceArn, 'DescribeTags.ResourceArn'),
      plainTags(Tags),
    ]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (arns.length === 1) return [];
    const one = await Promise.all(arns.map((arn) => tagsOf([arn])));
    return one.flat();
  }
}

/** Deletes the listeners, too. A load balancer that is gone already is no error. */
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
