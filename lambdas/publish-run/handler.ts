import { setTimeout } from 'node:timers/promises';
import { listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { runHistoryStore } from '../result-store/run-history';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makePublishRun } from './publish-run';

const bucketName = requireEnv('BUCKET_NAME');
const LONGEST_PAUSE_MILLIS = 500;

export const handler = makePublishRun({
  bucketName,
  region: requireEnv('AWS_REGION'),
  store: runHistoryStore({
    ...readableBucket(bucketName),
    ...listableBucket(bucketName),
    ...writableBucket(bucketName),
  }),
  announcements: {},
  pause: () => setTimeout(Math.random() * LONGEST_PAUSE_MILLIS),
  now: () => new Date(),
  log: createLogger('publish-run'),
});
