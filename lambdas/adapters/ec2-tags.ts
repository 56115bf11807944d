/** Tags in EC2's own form, which Elastic Load Balancing shares. */
import { ResourceTag } from '../../domain/workflow/resource-tags';

export type Tags = Readonly<Record<string, string>>;

/** Adds a name, which the console shows. */
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
