/** ingest-chunk: a raw chunk that has just arrived becomes rows that Athena sees while the measurement runs. */
import { getObject, putObject } from '../adapters/s3';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeIngestChunk } from './ingest-chunk';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeIngestChunk({
  bucketName,
  getObject: (key) => getObject(bucketName, key),
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  log: createLogger('ingest-chunk'),
});
