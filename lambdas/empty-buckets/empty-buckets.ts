/** Empties the buckets and networks of a deleted stack: CloudFormation can't (docs/decisions/0011-emptying-buckets.md). */
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import type { ErasableBucket } from '../adapters/s3';
import { answerWith, type CloudFormationRequest, type Outcome } from '../shared/custom-resource';
import type { Log } from '../shared/runtime';
import { emptyNetworks, type NetworkContents } from './empty-networks';

export interface EmptyBucketsDependencies {
  readonly bucket: (name: string) => ErasableBucket;
  readonly network: NetworkContents;
  readonly answer: (request: CloudFormationRequest, outcome: Outcome) => Promise<void>;
  readonly log: Log;
}

export interface EmptiedBucketsProperties {
  readonly BucketNames: readonly string[];
  /** The stack's own VPCs. */
  readonly VpcIds: readonly string[];
}

/**
 * What happens to a bucket, by the type of the request and by whether the bucket has `EMPTIED_WITH_STACK_TAG`:
 *
 * | request        | a bucket with the tag | without the tag | that is gone |
 * | -------------- | --------------------- | --------------- | ------------ |
 * | Create, Update | kept                  | kept            | –            |
 * | Delete         | emptied               | kept            | –            |
 *
 * CloudFormation also sends Delete if an update removes the custom resource or is rolled back. The buckets are then
 * kept, because the same update has already removed their tag.
 */
export function makeEmptyBuckets({ bucket, network, answer, log }: EmptyBucketsDependencies) {
  return async (request: CloudFormationRequest<EmptiedBucketsProperties>): Promise<void> => {
    await answerWith(answer, request, async () => {
      if (request.RequestType !== 'Delete') return undefined;
      const { BucketNames, VpcIds } = request.ResourceProperties;
      for (const name of BucketNames) await emptyIfTagged(name);
      await emptyNetworks(VpcIds, log, network);
      return undefined;
    });
  };

  async function emptyIfTagged(name: string): Promise<void> {
    const { tagKeys, deleteAllObjects } = bucket(name);
    const tags = await tagKeys();
    if (tags === undefined) log('bucket is gone already', { bucket: name });
    else if (!tags.includes(EMPTIED_WITH_STACK_TAG)) log('bucket is kept as it is', { bucket: name });
    else log('bucket is empty', { bucket: name, deleted: await deleteAllObjects() });
  }
}
