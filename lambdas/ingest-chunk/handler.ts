import { readableBucket, writableBucket } from '../adapters/s3';
import { resultReader } from '../result-store/reader';
import { resultWriter } from '../result-store/writer';
import { createLogger, requireEnv } from '../shared/runtime';
import { makeIngestChunk } from './ingest-chunk';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeIngestChunk({
  bucketName,
  store: { ...resultReader(readableBucket(bucketName)), ...resultWriter(writableBucket(bucketName)) },
  log: createLogger('ingest-chunk'),
});
