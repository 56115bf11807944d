import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FolderBucket } from './folder-bucket';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-bucket-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const body = (text: string) => new TextEncoder().encode(text);

test('objects are read, replaced and listed by their keys', async () => {
  const bucket = new FolderBucket(folder);
  await bucket.putObject('runs/day=2026-11-20/b.ndjson', body('first'));
  await bucket.putObject('runs/day=2026-11-20/b.ndjson', body('second'));
  await bucket.putObject('runs/day=2026-11-20/a.ndjson', body('a'));
  await bucket.putObject('samples/day=2026-11-20/a.ndjson.gz', body('s'));
  expect(Buffer.from(await bucket.getObject('runs/day=2026-11-20/b.ndjson')).toString()).toBe('second');
  expect(await bucket.listObjects('runs/')).toEqual(['runs/day=2026-11-20/a.ndjson', 'runs/day=2026-11-20/b.ndjson']);
  expect(await bucket.listObjects('runs/day=2026-11-20/b')).toEqual(['runs/day=2026-11-20/b.ndjson']);
  expect(await bucket.listObjects('reports/none/')).toEqual([]);
});

test('an object has the metadata that it was stored with', async () => {
  const bucket = new FolderBucket(folder);
  await bucket.putObject('a', body('a'), 'text/plain', { 'member-bytes': '{}' });
  await bucket.putObject('b', body('b'));
  expect((await bucket.getDescribedObject('a')).metadata).toEqual({ 'member-bytes': '{}' });
  expect(await bucket.getDescribedObject('b')).toMatchObject({ metadata: {} });
});

test('an object that is there already is not written a second time', async () => {
  const bucket = new FolderBucket(folder);
  expect(await bucket.putObjectOnce('reports/r/launch.json', body('first'))).toBe(true);
  expect(await bucket.putObjectOnce('reports/r/launch.json', body('second'))).toBe(false);
  expect(Buffer.from(await bucket.getObject('reports/r/launch.json')).toString()).toBe('first');
});

test('fails with the key of an object that is not there, by the name of the error that S3 has', async () => {
  await expect(new FolderBucket(folder).getObject('plan.json')).rejects.toMatchObject({
    name: 'NoSuchKey',
    message: 'plan.json: no such key',
  });
});

test('the version of an object that was read is deleted, and no later one', async () => {
  const bucket = new FolderBucket(folder);
  await bucket.putObject('runs/a.ndjson', body('first'));
  const [read] = await bucket.listVersions('runs/');
  await bucket.putObject('runs/a.ndjson', body('second'));
  expect(await bucket.deleteVersion(read!)).toBe(false);
  const [later] = await bucket.listVersions('runs/');
  expect(await bucket.deleteVersion(later!)).toBe(true);
  expect(await bucket.listObjects('runs/')).toEqual([]);
});
