/**
 * Empties the stack's buckets when the stack is deleted, because CloudFormation deletes no bucket with an object in it
 * (docs/decisions/0011-emptying-buckets.md).
 */
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import type { ErasableBucket } from '../adapters/s3';
import { errorText } from '../errors/aws-errors';
import type { Log } from '../shared/runtime';

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

/**
 * The part that is used of CloudFormation's request to the function of a custom resource
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/crpg-ref.html).
 */
export interface CloudFormationRequest<Properties = unknown> {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  /** Missing in a request to create. */
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Properties;
}

export type Outcome = { readonly status: 'SUCCESS' } | { readonly status: 'FAILED'; readonly reason: string };

/** The whole answer has at most 4,096 bytes; a character of the reason has at most three, or six when it is escaped. */
const REASON_CHARACTERS = 500;

/**
 * Puts the answer to the URL that the request brings.
 * @throws when CloudFormation does not take the answer; Lambda then repeats the whole invocation twice
 */
export async function answerRequest(request: CloudFormationRequest, outcome: Outcome): Promise<void> {
  const { RequestId, StackId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = request;
  const reason = outcome.status === 'FAILED' ? outcome.reason.slice(0, REASON_CHARACTERS) : undefined;
  const answer = { Status: outcome.status, Reason: reason, PhysicalResourceId, StackId, RequestId, LogicalResourceId };
  // The URL is signed for a request without a content type, which a body of text would bring.
  const body = new TextEncoder().encode(JSON.stringify(answer));
  const response = await fetch(request.ResponseURL, { method: 'PUT', body });
  if (!response.ok) {
    throw new Error(`answer to CloudFormation: must be accepted, got ${response.status} ${await response.text()}`);
  }
}
