/**
 * The objects of one bucket. One factory per IAM permission (s3:GetObject, s3:PutObject, s3:ListBucket), so that a
 * handler's bundle holds only the calls that its role allows.
 */
import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { allOf, answered, withExpectedErrors } from './answers';
import { REPEATED_BY_SDK } from './retries';

const client = new S3Client(REPEATED_BY_SDK);

export type ReadableBucket = ReturnType<typeof readableBucket>;
export type ListableBucket = ReturnType<typeof listableBucket>;
export type WritableBucket = ReturnType<typeof writableBucket>;

export function readableBucket(bucketName: string) {
  return {
    /** @throws `NoSuchKey` when there is no such object */
    getObject: async (key: string): Promise<Uint8Array> => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
      return answered(Body, `body of s3://${bucketName}/${key}`).transformToByteArray();
    },
  };
}

export function listableBucket(bucketName: string) {
  return {
    /** Every key under a prefix, in S3's order. */
    listObjects: async (prefix: string): Promise<string[]> => {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix });
      const objects = await allOf(pages, (page) => page.Contents);
      return objects.map(({ Key }) => answered(Key, 'ListObjectsV2.Key'));
    },
  };
}

export function writableBucket(bucketName: string) {
  const put = async (key: string, body: Uint8Array, contentType: string, condition?: { readonly IfNoneMatch: '*' }) => {
    const object = { Bucket: bucketName, Key: key, Body: body, ContentType: contentType, ...condition };
    await client.send(new PutObjectCommand(object));
    return true;
  };
  return {
    bucketName,
    putObject: async (key: string, body: Uint8Array, contentType: string): Promise<void> => {
      await put(key, body, contentType);
    },
    /** @returns false, and leaves the object as it is, when the key is taken */
    putObjectOnce: (key: string, body: Uint8Array, contentType: string): Promise<boolean> =>
      withExpectedErrors(put(key, body, contentType, { IfNoneMatch: '*' }), { PreconditionFailed: false }),
  };
}
