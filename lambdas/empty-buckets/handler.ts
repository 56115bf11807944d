import { answerRequest } from '../adapters/cloudformation';
import { erasableBucket } from '../adapters/s3';
import { createLogger } from '../shared/logger';
import { makeEmptyBuckets } from './empty-buckets';

export const handler = makeEmptyBuckets({
  bucket: erasableBucket,
  answer: answerRequest,
  log: createLogger('empty-buckets'),
});
