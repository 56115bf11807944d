/**
 * Empties the stack's buckets when the stack is deleted, because CloudFormation deletes no bucket with an object in it
 * (docs/decisions/0011-emptying-buckets.md).
 */
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import type { CloudFormationRequest, Outcome } from '../adapters/cloudformation';
import type { ErasableBucket } from '../adapters/s3';
import { errorText } from '../errors/error-text';
import type { Log } from '../shared/logger';

export interface EmptyBucketsDependencies {
  readonly bucket: (name: string) => ErasableBucket;
  readonly answer: (request: CloudFormationRequest, outcome: Outcome) => Promise<void>;
  readonly log: Log;
}

/** What the template gives to the custom resource. */
export interface EmptiedBucketsProperties {
  readonly BucketNames: readonly string[];
}

/**
 * | request        | a bucket with the tag | without the tag | that is gone |
 * | -------------- | --------------------- | --------------- | ------------ |
 * | Create, Update | kept                  | kept            | –            |
 * | Delete         | emptied               | kept            | –            |
 *
 * CloudFormation also deletes the custom resource when an update takes it out of the template or is rolled back. The
 * buckets live on then, but the same update has taken the tag from them before.
 */
export function makeEmptyBuckets({ bucket, answer, log }: EmptyBucketsDependencies) {
  return async (request: CloudFormationRequest<EmptiedBucketsProperties>): Promise<void> => {
    try {
      if (request.RequestType === 'Delete') {
        for (const name of request.ResourceProperties.BucketNames) await emptyIfTagged(name);
      }
    } catch (error) {
      // Without an answer, CloudFormation would wait an hour. The answer makes the error the reason of the failed stack.
      await answer(request, { status: 'FAILED', reason: errorText(error) });
      return;
    }
    await answer(request, { status: 'SUCCESS' });
  };

  async function emptyIfTagged(name: string): Promise<void> {
    const { tagKeys, deleteAllObjects } = bucket(name);
    const tags = await tagKeys();
    if (tags === undefined) log('bucket is gone already', { bucket: name });
    else if (!tags.includes(EMPTIED_WITH_STACK_TAG)) log('bucket is kept as it is', { bucket: name });
    else log('bucket is empty', { bucket: name, deleted: await deleteAllObjects() });
  }
}
