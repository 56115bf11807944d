/** What the permissions of all handlers are made of: the stack's tag as their condition, and keys of the result bucket. */
import type { Stack } from 'aws-cdk-lib';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Grant } from '../least-privilege';
import type { ResultStore } from '../result-store/result-store';

type Conditions = NonNullable<Grant['conditions']>;

export const NO_RESOURCES = 'these calls know no resources (Service Authorization Reference)';
export const BY_TAG = "these come and go with every pair; the condition holds it to those with the stack's tag";
export const IN_THE_MAKING = "these come into being with the call; the condition demands the stack's tag on them";

export class Grants {
  constructor(
    protected readonly stack: Stack,
    protected readonly store: ResultStore,
  ) {}

  /** What is made must carry the stack's tag. */
  protected requestTag(): Conditions {
    return { StringEquals: { [`aws:RequestTag/${ResourceTag.stack}`]: this.stack.stackName } };
  }

  protected ownTag(): Conditions {
    return { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: this.stack.stackName } };
  }

  protected ec2(resource: string, resourceName = '*'): string {
    return this.stack.formatArn({ service: 'ec2', resource, resourceName });
  }

  protected read(...keys: string[]): Grant {
    return this.objects('s3:GetObject', keys);
  }

  protected write(...keys: string[]): Grant {
    return this.objects('s3:PutObject', keys);
  }

  protected objects(action: string, keys: readonly string[]): Grant {
    return {
      actions: [action],
      resources: keys.map((key) => this.store.bucket.arnForObjects(key)),
      wildcardReason: 'the keys carry the ids of runs and hosts, and days',
    };
  }

  /** Also what makes S3 say "no such key" of a missing object, and not "access denied". */
  protected list(...prefixes: string[]): Grant {
    return {
      actions: ['s3:ListBucket'],
      resources: [this.store.bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
    };
  }
}
