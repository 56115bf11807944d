import { deletableBucket, listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { runFolding } from '../result-store/folding';
import { resultFinder } from '../result-store/finder';
import { rawStreamReader } from '../result-store/raw-stream';
import { resultReader } from '../result-store/reader';
import { resultWriter } from '../result-store/writer';
import { createLogger } from '../shared/logger';
import { namingPassingErrors } from '../shared/naming-passing-errors';
import { requireEnv } from '../shared/require-env';
import { makeAnalyseMeasurement } from './analyse-measurement';

const bucketName = requireEnv('BUCKET_NAME');
const bucket = {
  ...readableBucket(bucketName),
  ...listableBucket(bucketName),
  ...writableBucket(bucketName),
  ...deletableBucket(bucketName),
};

export const handler = namingPassingErrors(
  makeAnalyseMeasurement({
    hostRoleId: requireEnv('HOST_ROLE_ID'),
    store: {
      ...resultReader(bucket),
      ...resultFinder(bucket),
      ...rawStreamReader(bucket),
      ...resultWriter(bucket),
      ...runFolding(bucket),
    },
    log: createLogger('analyse-measurement'),
  }),
);
