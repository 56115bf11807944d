import { setTimeout } from 'node:timers/promises';
import { renderIndex } from '../../domain/report/index-page/render-index';
import { presignedLink, listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { publish } from '../adapters/sns';
import { runHistoryStore } from '../result-store/run-history';
import { pageScript } from '../shared/page-script';
import { createLogger, requireEnv, requireEnvListOrNone } from '../shared/runtime';
import { createMetrics } from '../shared/metrics';
import { makeAnnouncements } from './announcements';
import { makePublishRun } from './publish-run';

const bucketName = requireEnv('BUCKET_NAME');
const LONGEST_PAUSE_MILLIS = 500;

const stackName = requireEnv('STACK_NAME');
const region = requireEnv('AWS_REGION');
const log = createLogger('publish-run');
const presignedHours = Number(requireEnv('PRESIGNED_REPORT_HOURS'));
const [topicArn] = requireEnvListOrNone('TOPIC_ARN');

const announcements = makeAnnouncements({
  bucketName,
  region,
  stackName,
  runStateMachineArn: requireEnv('RUN_STATE_MACHINE_ARN'),
  areAllRunsMeasured: requireEnv('METRICS') === 'all',
  presigned:
    presignedHours === 0
      ? undefined
      : { hours: presignedHours, linkTo: (key) => presignedLink(bucketName, key, presignedHours) },
  writeMetrics: createMetrics(stackName),
  publish: topicArn === undefined ? undefined : (message) => publish(topicArn, message),
  log,
});

export const handler = makePublishRun({
  bucketName,
  region,
  store: runHistoryStore({
    ...readableBucket(bucketName),
    ...listableBucket(bucketName),
    ...writableBucket(bucketName),
  }),
  renderIndex: (input) => renderIndex(input, pageScript('index-script.js')),
  announcements,
  pause: () => setTimeout(Math.random() * LONGEST_PAUSE_MILLIS),
  now: () => new Date(),
  log,
});
