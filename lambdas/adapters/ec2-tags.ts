/** Tags and errors as EC2 spells them. */
import { EC2ServiceException } from '@aws-sdk/client-ec2';
import { ResourceTag } from '../../domain/workflow/resource-tags';

export type Tags = Readonly<Record<string, string>>;

/** The service's own error code; undefined for anything that did not come from EC2. */
export function ec2ErrorCode(error: unknown): string | undefined {
  return error instanceof EC2ServiceException ? error.name : undefined;
}

/** With a name for whoever looks at the console. */
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
