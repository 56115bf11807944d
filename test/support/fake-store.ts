/** The result bucket in memory, below the store adapter: tests run the adapter itself and look at keys and bytes. */
import { gunzipSync } from 'node:zlib';
import type {
  ConditionallyDeletableBucket,
  DeletableBucket,
  DescribedObject,
  ListableBucket,
  ObjectMetadata,
  ObjectVersion,
  ReadableBucket,
  VersionedObject,
  WritableBucket,
} from '../../lambdas/adapters/s3';
import { etagOf, foldersOf } from './bucket-facts';
import { resultFinder, resultReader } from '../../lambdas/result-store/reader';
import { runFolding } from '../../lambdas/result-store/folding';
import { rawStreamReader } from '../../lambdas/result-store/raw-stream';
import { runClaims, runExecutionFinder } from '../../lambdas/result-store/run-execution';
import { resultWriter } from '../../lambdas/result-store/writer';

type WholeBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket & ConditionallyDeletableBucket;

export class FakeStore implements WholeBucket {
  readonly bucketName = 'results';
  readonly objects = new Map<string, Uint8Array>();
  /** By key, of the objects that were stored with metadata. */
  readonly metadata = new Map<string, ObjectMetadata>();

  readonly getObject = async (key: string): Promise<Uint8Array> => {
    const body = this.objects.get(key);
    if (body === undefined) throw Object.assign(new Error(`${key}: no such key`), { name: 'NoSuchKey' });
    return body;
  };

  readonly getObjectUpTo = async (key: string, maxBytes: number): Promise<Uint8Array | undefined> => {
    const body = await this.getObject(key);
    return body.length <= maxBytes ? body : undefined;
  };

  readonly getDescribedObject = async (key: string): Promise<DescribedObject> => ({
    body: await this.getObject(key),
    metadata: this.metadata.get(key) ?? {},
  });

  readonly getVersionedObject = async (key: string): Promise<VersionedObject> => {
    const body = await this.getObject(key);
    return { body, etag: etagOf(body) };
  };

  readonly putObject = async (key: string, body: Uint8Array, _?: string, metadata?: ObjectMetadata): Promise<void> => {
    this.objects.set(key, new Uint8Array(body));
    if (metadata) this.metadata.set(key, metadata);
  };

  readonly putObjectOnce = async (key: string, body: Uint8Array): Promise<boolean> => {
    if (this.objects.has(key)) return false;
    await this.putObject(key, body);
    return true;
  };

  readonly replaceObject = async (
    key: string,
    body: Uint8Array,
    _: string,
    etag: string | undefined,
  ): Promise<boolean> => {
    const found = this.objects.get(key);
    if ((found && etagOf(found)) !== etag) return false;
    await this.putObject(key, body);
    return true;
  };

  readonly listObjects = async (prefix: string): Promise<string[]> => this.keys(prefix);

  readonly listFolders = async (prefix: string): Promise<string[]> => foldersOf(this.keys(prefix), prefix);

  readonly listVersions = async (prefix: string): Promise<ObjectVersion[]> =>
    this.keys(prefix).map((key) => ({ key, etag: etagOf(this.objects.get(key)!) }));

  readonly deleteObjects = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) this.objects.delete(key);
  };

  readonly deleteVersion = async ({ key, etag }: ObjectVersion): Promise<boolean> => {
    const found = this.objects.get(key);
    if (found && etagOf(found) !== etag) return false;
    this.objects.delete(key);
    return true;
  };

  /** What handlers get as their store. */
  readonly adapter = {
    ...resultReader(this),
    ...resultFinder(this),
    ...rawStreamReader(this),
    ...resultWriter(this),
    ...runFolding(this),
    ...runExecutionFinder(this),
    ...runClaims(this),
  };

  putJson(key: string, value: unknown): void {
    this.objects.set(key, new TextEncoder().encode(JSON.stringify(value)));
  }

  json<T>(key: string): T {
    return JSON.parse(this.text(key)) as T;
  }

  rows(key: string): Record<string, unknown>[] {
    return this.text(key)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  keys(prefix = ''): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** @throws with every key that there is when this one is not in the store */
  text(key: string): string {
    const body = this.objects.get(key);
    if (body === undefined) throw new Error(`${key}: is not in the store, which has ${this.keys().join(', ')}`);
    return (key.endsWith('.gz') ? gunzipSync(body) : Buffer.from(body)).toString('utf8');
  }
}
