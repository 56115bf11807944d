import {
  conditionallyDeletableBucket,
  deletableBucket,
  listableBucket,
  readableBucket,
  writableBucket,
} from '../adapters/s3';
import { closedMonthsStore } from '../result-store/closed-months';
import { createLogger, requireEnv } from '../shared/runtime';
import { makeCloseMonths } from './close-months';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeCloseMonths({
  store: closedMonthsStore({
    ...readableBucket(bucketName),
    ...listableBucket(bucketName),
    ...writableBucket(bucketName),
    ...deletableBucket(bucketName),
    ...conditionallyDeletableBucket(bucketName),
  }),
  now: () => new Date(),
  log: createLogger('close-months'),
});
