/** analyse-measurement: the raw streams of one measurement, checked against their manifests, become its result. */
import { getObject, listObjects, putObject } from '../adapters/s3';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeAnalyseMeasurement } from './analyse-measurement';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeAnalyseMeasurement({
  hostRoleId: requireEnv('HOST_ROLE_ID'),
  getObject: (key) => getObject(bucketName, key),
  listObjects: (prefix) => listObjects(bucketName, prefix),
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  log: createLogger('analyse-measurement'),
});
