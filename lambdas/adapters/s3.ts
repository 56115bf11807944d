/**
 * The objects of one bucket. One factory per IAM permission (s3:GetObject, s3:PutObject, s3:ListBucket), so that a
 * handler's bundle holds only the calls that its role allows.
 */
import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { REPEATED_BY_SDK } from './retries';

const client = new S3Client(REPEATED_BY_SDK);

export interface ReadableBucket {
  /** @throws `NoSuchKey` when there is no such object */
  readonly getObject: (key: string) => Promise<Uint8Array>;
}

export interface ListableBucket {
  /** Every key under a prefix, in S3's order. */
  readonly listObjects: (prefix: string) => Promise<string[]>;
}

export interface WritableBucket {
  readonly bucketName: string;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  /** @returns false, and leaves the object as it is, when the key is taken */
  readonly putObjectOnce: (key: string, body: Uint8Array, contentType: string) => Promise<boolean>;
}

export function readableBucket(bucketName: string): ReadableBucket {
  return {
    getObject: async (key) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
      if (Body === undefined) throw new Error(`s3://${bucketName}/${key}: must have a body, got none`);
      return Body.transformToByteArray();
    },
  };
}

export function listableBucket(bucketName: string): ListableBucket {
  return {
    listObjects: async (prefix) => {
      const keys: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucketName, Prefix: prefix })) {
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
      }
      return keys;
    },
  };
}

export function writableBucket(bucketName: string): WritableBucket {
  const object = (key: string, body: Uint8Array, contentType: string) => ({
    Bucket: bucketName,
    Key: key,
    Body: body,
    ContentType: contentType,
  });
  return {
    bucketName,
    putObject: async (key, body, contentType) => {
      await client.send(new PutObjectCommand(object(key, body, contentType)));
    },
    putObjectOnce: async (key, body, contentType) => {
      try {
        await client.send(new PutObjectCommand({ ...object(key, body, contentType), IfNoneMatch: '*' }));
        return true;
      } catch (error) {
        if (error instanceof Error && error.name === 'PreconditionFailed') return false;
        throw error;
      }
    },
  };
}
