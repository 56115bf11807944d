import { makeEmptyBuckets } from './empty-buckets';
import { erasableBucket } from '../adapters/s3';
import { answerRequest } from '../shared/custom-resource';
import { createLogger } from '../shared/runtime';

export const handler = makeEmptyBuckets({
  bucket: erasableBucket,
  answer: answerRequest,
  log: createLogger('empty-buckets'),
});
