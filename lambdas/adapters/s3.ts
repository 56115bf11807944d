/**
 * The objects of one bucket. There is one factory per IAM permission (s3:GetObject, s3:PutObject, s3:ListBucket), so
 * that a handler's bundle contains only the calls that its role allows.
 */
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketTaggingCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  paginateListObjectsV2,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { allOf, answered, batches, withExpectedErrors, REPEATED_BY_SDK } from './answers';
import { isNamed } from '../errors/aws-errors';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

const client = new S3Client(REPEATED_BY_SDK);

export type ReadableBucket = ReturnType<typeof readableBucket>;
export type ListableBucket = ReturnType<typeof listableBucket>;
export type WritableBucket = ReturnType<typeof writableBucket>;
export type DeletableBucket = ReturnType<typeof deletableBucket>;
export type ConditionallyDeletableBucket = ReturnType<typeof conditionallyDeletableBucket>;
export type ErasableBucket = ReturnType<typeof erasableBucket>;

/** The metadata of an object: names in lower case and values in ASCII. */
export type ObjectMetadata = Readonly<Record<string, string>>;

export interface DescribedObject {
  readonly body: Uint8Array;
  readonly metadata: ObjectMetadata;
}

/** The content of an object, with a version that a later write can require. */
export interface VersionedObject {
  readonly body: Uint8Array;
  readonly etag: string;
}

export interface ObjectVersion {
  readonly key: string;
  /** The ETag, which changes with the object's content. */
  readonly etag: string;
}

export function readableBucket(bucketName: string) {
  const send = (key: string) => namingKey(key, client.send(new GetObjectCommand({ Bucket: bucketName, Key: key })));
  const bytesOf = (key: string, body: GetObjectCommandOutput['Body']) =>
    answered(body, `body of s3://${bucketName}/${key}`).transformToByteArray();
  const get = async (key: string) => {
    const { Body, Metadata: metadata = {}, ETag: etag } = await send(key);
    return { body: await bytesOf(key, Body), metadata, etag };
  };
  return {
    /** @throws `NoSuchKey` if there is no such object */
    getObject: async (key: string): Promise<Uint8Array> => (await get(key)).body,
    /** @returns undefined, and reads nothing, if the object has more bytes. @throws `NoSuchKey` */
    getObjectUpTo: async (key: string, maxBytes: number): Promise<Uint8Array | undefined> => {
      const { Body, ContentLength } = await send(key);
      if (answered(ContentLength, 'GetObject.ContentLength') <= maxBytes) return bytesOf(key, Body);
      (Body as Readable).destroy();
      return undefined;
    },
    /** Returns the object with its stored metadata. @throws `NoSuchKey` if there is no such object */
    getDescribedObject: async (key: string): Promise<DescribedObject> => {
      const { body, metadata } = await get(key);
      return { body, metadata };
    },
    /** @throws `NoSuchKey` if there is no such object */
    getVersionedObject: async (key: string): Promise<VersionedObject> => {
      const { body, etag } = await get(key);
      return { body, etag: answered(etag, 'GetObject.ETag') };
    },
  };
}

export function listableBucket(bucketName: string) {
  return {
    /** @param atMost of how many keys no more are read; the page with the last of them may add some */
    listObjects: async (prefix: string, atMost = Infinity): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix })) {
        for (const { Key } of Contents) keys.push(answered(Key, 'ListObjectsV2.Key'));
        if (keys.length >= atMost) break;
      }
      return keys;
    },
    /** The names of the folders directly below a prefix that ends with a slash, in S3's order. */
    listFolders: async (prefix: string): Promise<string[]> => {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix, Delimiter: '/' });
      const folders = await allOf(pages, (page) => page.CommonPrefixes);
      return folders.map(({ Prefix }) => answered(Prefix, 'ListObjectsV2.Prefix').slice(prefix.length, -1));
    },
    listVersions: async (prefix: string): Promise<ObjectVersion[]> => {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix });
      const objects = await allOf(pages, (page) => page.Contents);
      return objects.map(({ Key, ETag }) => ({
        key: answered(Key, 'ListObjectsV2.Key'),
        etag: answered(ETag, 'ListObjectsV2.ETag'),
      }));
    },
  };
}

export function writableBucket(bucketName: string) {
  const put = async (
    key: string,
    body: Uint8Array,
    contentType: string,
    more?: Pick<PutObjectCommandInput, 'IfMatch' | 'IfNoneMatch' | 'Metadata'>,
    isRepeatedAfterConflict = false,
  ) => {
    const object = { Bucket: bucketName, Key: key, Body: body, ContentType: contentType, ...more };
    const request = new PutObjectCommand(object);
    if (isRepeatedAfterConflict) repeatAfterConflict(request);
    await namingKey(key, client.send(request));
    return true;
  };
  return {
    bucketName,
    putObject: async (key: string, body: Uint8Array, contentType: string, metadata?: ObjectMetadata): Promise<void> => {
      await put(key, body, contentType, { Metadata: metadata });
    },
    /** @returns false and leaves the object unchanged if the key is taken */
    putObjectOnce: (key: string, body: Uint8Array, contentType: string): Promise<boolean> =>
      withExpectedErrors(put(key, body, contentType, { IfNoneMatch: '*' }, true), { PreconditionFailed: false }),
    /**
     * @param etag of the version to replace; undefined if there was no object
     * @returns false and leaves the object unchanged if it was written or deleted in the meantime
     */
    replaceObject: (key: string, body: Uint8Array, contentType: string, etag: string | undefined): Promise<boolean> =>
      withExpectedErrors(
        put(key, body, contentType, etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }),
        // S3 responds with 412 after another write, with 409 during one, and with 404 if the object was deleted.
        { PreconditionFailed: false, ConditionalRequestConflict: false, NoSuchKey: false },
      ),
  };
}

/** S3 responds with 409 during another write of the key. Only a later request learns whether the key is taken. */
function repeatAfterConflict({ middlewareStack }: PutObjectCommand): void {
  middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error: unknown) => {
        // The SDK repeats a request whose error is marked like this.
        throw isNamed(error, CONFLICT) ? Object.assign(error as Error, { $retryable: {} }) : error;
      }),
    { step: 'deserialize', priority: 'high' },
  );
}
const CONFLICT = new Set(['ConditionalRequestConflict'] as const);

export function erasableBucket(bucketName: string) {
  return {
    /** @returns undefined if there is no such bucket */
    tagKeys: async (): Promise<string[] | undefined> => {
      const described = await withExpectedErrors(client.send(new GetBucketTaggingCommand({ Bucket: bucketName })), {
        NoSuchTagSet: { TagSet: [] },
        NoSuchBucket: undefined,
      });
      return described?.TagSet?.map(({ Key }) => answered(Key, 'GetBucketTagging.Key'));
    },
    /** @returns the number of deleted objects; @throws the first refusal if S3 keeps one */
    deleteAllObjects: async (): Promise<number> => {
      let deleted = 0;
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucketName })) {
        await deleteBatch(
          bucketName,
          Contents.map(({ Key }) => answered(Key, 'ListObjectsV2.Key')),
        );
        deleted += Contents.length;
      }
      return deleted;
    },
  };
}

/** The maximum number of keys in a DeleteObjects call. */
const KEYS_PER_DELETION = 1000;

export function deletableBucket(bucketName: string) {
  return {
    /** @throws the first refusal if S3 keeps an object; a key without an object is not an error */
    deleteObjects: async (keys: readonly string[]): Promise<void> => {
      for (const batch of batches(keys, KEYS_PER_DELETION)) await deleteBatch(bucketName, batch);
    },
  };
}

export function conditionallyDeletableBucket(bucketName: string) {
  return {
    /**
     * Needs the permission to read the object as well.
     * @returns false and leaves the object if it has another version; true also if there is none
     */
    deleteVersion: async ({ key, etag }: ObjectVersion): Promise<boolean> => {
      const request = new DeleteObjectCommand({ Bucket: bucketName, Key: key, IfMatch: etag });
      const deleted = namingKey(
        key,
        client.send(request).then(() => true),
      );
      return withExpectedErrors(deleted, {
        PreconditionFailed: false,
        ConditionalRequestConflict: false,
        NoSuchKey: true,
      });
    },
  };
}

async function deleteBatch(bucketName: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const request = { Bucket: bucketName, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true } };
  const { Errors: [refusal] = [] } = await client.send(new DeleteObjectsCommand(request));
  if (refusal === undefined) return;
  const { Key, Code, Message } = refusal;
  throw new Error(`s3://${bucketName}/${Key}: could not be deleted: ${Code}: ${Message}`);
}

/** Adds the key to S3's errors, which do not name the object and become the reason of a failed measurement. */
async function namingKey<T>(key: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error) error.message = `${key}: ${error.message}`;
    throw error;
  }
}

/**
 * Signs a link that lets anyone read an object without an account. The link ends with the caller's credentials; those
 * of a function's role are temporary. Signing calls nothing; the signer needs s3:GetObject when the link is opened.
 */
export function presignedLink(bucketName: string, key: string, hours: number): Promise<string> {
  const request = new GetObjectCommand({ Bucket: bucketName, Key: key });
  return getSignedUrl(client, request, { expiresIn: hours * 3600 });
}
