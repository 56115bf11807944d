/** The result bucket's objects. One function per API call, so that a bundle holds only the calls its handler makes. */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

const client = new S3Client({ maxAttempts: 6 });

/** @throws `NoSuchKey` when there is none */
export async function getObject(bucketName: string, key: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
  if (Body === undefined) throw new Error(`s3://${bucketName}/${key}: must have a body, got none`);
  return Body.transformToByteArray();
}

export async function putObject(bucketName: string, key: string, body: Uint8Array, contentType: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucketName, Key: key, Body: body, ContentType: contentType }));
}

/** @returns false, and leaves it as it is, when there is such an object already */
export async function putObjectOnce(
  bucketName: string,
  key: string,
  body: Uint8Array,
  contentType: string,
): Promise<boolean> {
  try {
    await client.send(
      new PutObjectCommand({ Bucket: bucketName, Key: key, Body: body, ContentType: contentType, IfNoneMatch: '*' }),
    );
    return true;
  } catch (error) {
    if ((error as Error).name === 'PreconditionFailed') return false;
    throw error;
  }
}

/** Every key under a prefix, in S3's order. */
export async function listObjects(bucketName: string, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucketName, Prefix: prefix, ContinuationToken: token }),
    );
    for (const object of page.Contents ?? []) if (object.Key !== undefined) keys.push(object.Key);
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return keys;
}
