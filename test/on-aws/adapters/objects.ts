/** S3: removes objects. */
import { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { batches, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new S3Client(REPEATED_BY_SDK);

/** DeleteObjects takes no more keys than this. */
const KEYS_PER_CALL = 1000;

/** @throws with S3's reason when a key can't be deleted; a key that is gone already is no error */
export async function deleteObjects(bucketName: string, keys: readonly string[]): Promise<void> {
  for (const batch of batches(keys, KEYS_PER_CALL)) {
    const Objects = batch.map((Key) => ({ Key }));
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucketName, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first !== undefined) {
      throw new Error(
        `s3://${bucketName}/${first.Key ?? ''}: must be deleted: ${first.Code ?? ''} ${first.Message ?? ''}`,
      );
    }
  }
}
