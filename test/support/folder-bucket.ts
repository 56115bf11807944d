/** A bucket whose objects are the files below a folder, by their keys: the product writes a store into it. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
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

type WholeBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket & ConditionallyDeletableBucket;

export class FolderBucket implements WholeBucket {
  readonly bucketName = 'results';
  private readonly made = new Set<string>();
  /** By key; a folder has no place for it, so it is known as long as the process lives. */
  private readonly metadata = new Map<string, ObjectMetadata>();

  constructor(private readonly folder: string) {}

  readonly getObject = async (key: string): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await readFile(join(this.folder, key)));
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      throw Object.assign(new Error(`${key}: no such key`, { cause: error }), { name: 'NoSuchKey' });
    }
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
    await this.write(key, body, 'w');
    if (metadata) this.metadata.set(key, metadata);
  };

  readonly putObjectOnce = async (key: string, body: Uint8Array): Promise<boolean> => {
    try {
      await this.write(key, body, 'wx');
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    }
  };

  readonly replaceObject = async (
    key: string,
    body: Uint8Array,
    type: string,
    etag: string | undefined,
  ): Promise<boolean> => {
    if (etag === undefined) return this.putObjectOnce(key, body);
    const [found] = await this.listVersions(key);
    if (found?.etag !== etag) return false;
    await this.putObject(key, body, type);
    return true;
  };

  readonly listObjects = async (prefix: string): Promise<string[]> => {
    const folder = join(this.folder, prefix.slice(0, prefix.lastIndexOf('/') + 1));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      // A prefix without objects has no folder.
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.folder, join(entry.parentPath, entry.name)))
      .filter((key) => key.startsWith(prefix))
      .sort();
  };

  readonly listFolders = async (prefix: string): Promise<string[]> => foldersOf(await this.listObjects(prefix), prefix);

  readonly listVersions = async (prefix: string): Promise<ObjectVersion[]> => {
    const keys = await this.listObjects(prefix);
    return Promise.all(keys.map(async (key) => ({ key, etag: etagOf(await this.getObject(key)) })));
  };

  readonly deleteObjects = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await rm(join(this.folder, key), { force: true });
  };

  readonly deleteVersion = async ({ key, etag }: ObjectVersion): Promise<boolean> => {
    const [found] = await this.listVersions(key);
    if (found && found.etag !== etag) return false;
    await this.deleteObjects([key]);
    return true;
  };

  private async write(key: string, body: Uint8Array, flag: 'w' | 'wx'): Promise<void> {
    const file = join(this.folder, key);
    const folder = dirname(file);
    if (!this.made.has(folder)) await mkdir(folder, { recursive: true });
    this.made.add(folder);
    await writeFile(file, body, { flag });
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
