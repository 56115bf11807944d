import { answerRequest, makeEmptyBuckets } from './empty-buckets';
import { erasableBucket } from '../adapters/s3';
import { createLogger } from '../shared/runtime';

export const handler = makeEmptyBuckets({
  bucket: erasableBucket,
  answer: answerRequest,
  log: createLogger('empty-buckets'),
});
