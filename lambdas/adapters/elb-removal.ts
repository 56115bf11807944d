/** Finds and removes Network Load Balancers and target groups by their tags. */
import {
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DescribeTagsCommand,
  ElasticLoadBalancingV2Client,
  paginateDescribeLoadBalancers,
  paginateDescribeTargetGroups,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { RESOURCE_NAME_PREFIX } from '../../domain/workflow/resource-tags';
import { allOf, answered, batches, withExpectedErrors, REPEATED_BY_SDK } from './answers';
import { plainTags, type Tags } from './ec2-tags';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_SDK);

/** The maximum number of ARNs in a DescribeTags call. */
const TAGGED_PER_CALL = 20;

export interface TaggedElbResource {
  readonly arn: string;
  readonly name: string;
  readonly tags: Tags;
}

export async function findLoadBalancers(tags: Tags): Promise<TaggedElbResource[]> {
  const found = await allOf(paginateDescribeLoadBalancers({ client }, {}), (page) => page.LoadBalancers);
  return tagged(new Map(found.map((each) => [each.LoadBalancerArn, each.LoadBalancerName])), tags);
}

export async function findTargetGroups(tags: Tags): Promise<TaggedElbResource[]> {
  const found = await allOf(paginateDescribeTargetGroups({ client }, {}), (page) => page.TargetGroups);
  return tagged(new Map(found.map((each) => [each.TargetGroupArn, each.TargetGroupName])), tags);
}

/** The service has no filter by tag, so this reads the tags of every resource whose name could be ours. */
async function tagged(
  namesByArn: ReadonlyMap<string | undefined, string | undefined>,
  wanted: Tags,
): Promise<TaggedElbResource[]> {
  const named = [...namesByArn].map(([arn, name]) => ({
    arn: answered(arn, 'ARN'),
    name: answered(name, `name of ${arn ?? 'a resource'}`),
  }));
  const ours = named.filter(({ name }) => name.startsWith(RESOURCE_NAME_PREFIX));
  const result: TaggedElbResource[] = [];
  for (const batch of batches(ours, TAGGED_PER_CALL)) {
    const tagsByArn = new Map(await tagsOf(batch.map(({ arn }) => arn)));
    for (const resource of batch) {
      const tags = tagsByArn.get(resource.arn);
      if (tags === undefined || Object.entries(wanted).some(([key, value]) => tags[key] !== value)) continue;
      result.push({ ...resource, tags });
    }
  }
  return result;
}

/** The service refuses the tags of all resources if one of them has disappeared, so each is then read alone. */
async function tagsOf(arns: readonly string[]): Promise<[arn: string, tags: Tags][]> {
  const described = client.send(new DescribeTagsCommand({ ResourceArns: [...arns] }));
  const notFound = { LoadBalancerNotFoundException: undefined, TargetGroupNotFoundException: undefined };
  const answer = await withExpectedErrors(described, notFound);
  if (answer === undefined)
    return arns.length === 1 ? [] : (await Promise.all(arns.map((arn) => tagsOf([arn])))).flat();
  return (answer.TagDescriptions ?? []).map(({ ResourceArn, Tags }) => [
    answered(ResourceArn, 'DescribeTags.ResourceArn'),
    plainTags(Tags),
  ]);
}

/** Also deletes the listeners. A load balancer that is already gone is not an error. */
export async function deleteLoadBalancer(arn: string): Promise<void> {
  const deleted = client.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: arn }));
  await withExpectedErrors(deleted, { LoadBalancerNotFoundException: undefined });
}

/** @returns false while a listener forwards to the group; a group that is already gone counts as deleted */
export async function deleteTargetGroup(arn: string): Promise<boolean> {
  const deleted = client.send(new DeleteTargetGroupCommand({ TargetGroupArn: arn })).then(() => true);
  return withExpectedErrors(deleted, { TargetGroupNotFoundException: true, ResourceInUseException: false });
}
