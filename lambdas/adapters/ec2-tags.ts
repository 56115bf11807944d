/** Tags and error codes in EC2's own form. */
import { EC2ServiceException } from '@aws-sdk/client-ec2';
import { ResourceTag } from '../../domain/workflow/resource-tags';

export type Tags = Readonly<Record<string, string>>;

/** @returns EC2's error code, or undefined when the error did not come from EC2 */
export function ec2ErrorCode(error: unknown): string | undefined {
  return error instanceof EC2ServiceException ? error.name : undefined;
}

/** Adds a name, which the console shows. */
export function awsTags(tags: Tags): { Key: string; Value: string }[] {
  return [
    {
      Key: 'Name',
      Value: tags[ResourceTag.role] === undefined ? 'network-benchmark' : `network-benchmark ${tags[ResourceTag.role]}`,
    },
    ...Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  ];
}

export function plainTags(tags: readonly { Key?: string; Value?: string }[] | undefined): Tags {
  return Object.fromEntries((tags ?? []).map((tag) => [tag.Key ?? '', tag.Value ?? '']));
}

export function tagFilters(tags: Tags): { Name: string; Values: string[] }[] {
  return Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
}
