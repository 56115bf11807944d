import type { AnalyseMeasurementRequest, FoldUnfinishedRequest } from '../../domain/workflow/contracts';
import { deletableBucket, listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { runFolding } from '../result-store/folding';
import { resultFinder, resultReader } from '../result-store/reader';
import { rawStreamReader } from '../result-store/raw-stream';
import { resultWriter } from '../result-store/writer';
import { createLogger, requireEnv } from '../shared/runtime';
import { namingPassingErrors } from '../adapters/passing-errors';
import { makeAnalyseMeasurement, makeFoldUnfinished } from './analyse-measurement';

const bucketName = requireEnv('BUCKET_NAME');
const bucket = {
  ...readableBucket(bucketName),
  ...listableBucket(bucketName),
  ...writableBucket(bucketName),
  ...deletableBucket(bucketName),
};

const deps = {
  hostRoleId: requireEnv('HOST_ROLE_ID'),
  store: {
    ...resultReader(bucket),
    ...resultFinder(bucket),
    ...rawStreamReader(bucket),
    ...resultWriter(bucket),
    ...runFolding(bucket),
  },
  now: () => new Date(),
  log: createLogger('analyse-measurement'),
};
const analyse = makeAnalyseMeasurement(deps);
const foldUnfinished = makeFoldUnfinished(deps);

export const handler = namingPassingErrors(async (request: AnalyseMeasurementRequest | FoldUnfinishedRequest) =>
  'unfinishedKey' in request ? foldUnfinished(request) : analyse(request),
);
