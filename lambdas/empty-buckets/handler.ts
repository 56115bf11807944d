import { setTimeout as sleep } from 'node:timers/promises';
import { makeEmptyBuckets } from './empty-buckets';
import { deleteEndpoints, guardDutyEndpointIds, guardDutyGroupIds } from '../adapters/ec2-guardduty';
import { deleteSecurityGroup } from '../adapters/ec2-hosts';
import { erasableBucket } from '../adapters/s3';
import { answerRequest } from '../shared/custom-resource';
import { createLogger } from '../shared/runtime';

export const handler = makeEmptyBuckets({
  bucket: erasableBucket,
  network: { guardDutyEndpointIds, guardDutyGroupIds, deleteEndpoints, deleteSecurityGroup, sleep },
  answer: answerRequest,
  log: createLogger('empty-buckets'),
});
