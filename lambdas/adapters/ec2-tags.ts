/** Tags in the form that EC2 and Elastic Load Balancing use. */
import { ResourceTag } from '../../domain/workflow/resource-tags';

export type Tags = Readonly<Record<string, string>>;

/** Converts tags and adds the tag `Name`, which the AWS console shows. */
export function awsTags(tags: Tags): { Key: string; Value: string }[] {
  const role = tags[ResourceTag.role];
  return [
    { Key: 'Name', Value: role === undefined ? 'network-benchmark' : `network-benchmark ${role}` },
    ...Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  ];
}

export function plainTags(tags: readonly { Key?: string; Value?: string }[] | undefined): Tags {
  return Object.fromEntries((tags ?? []).map((tag) => [tag.Key ?? '', tag.Value ?? '']));
}

export function tagFilters(tags: Tags): { Name: string; Values: string[] }[] {
  return Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
}
