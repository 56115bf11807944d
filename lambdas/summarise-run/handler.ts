import { renderReport } from '../../domain/report/render-report';
import { runLinks } from '../../domain/workflow/console-links';
import { reportKey } from '../../domain/workflow/object-keys';
import { runAthenaQuery } from '../adapters/athena';
import { findStarter } from '../adapters/cloudtrail';
import { presignedLink, deletableBucket, listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { describeExecution } from '../adapters/sfn';
import { runFolding } from '../result-store/folding';
import { resultFinder, resultReader } from '../result-store/reader';
import { runClaims } from '../result-store/run-execution';
import { resultWriter } from '../result-store/writer';
import { pageScript } from '../shared/page-script';
import { createLogger, requireEnv } from '../shared/runtime';
import { namingPassingErrors } from '../adapters/passing-errors';
import { makeSummariseRun } from './summarise-run';

const bucketName = requireEnv('BUCKET_NAME');
const runStateMachineArn = requireEnv('RUN_STATE_MACHINE_ARN');
const pairStateMachineArn = requireEnv('PAIR_STATE_MACHINE_ARN');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const database = requireEnv('GLUE_DATABASE');
const region = requireEnv('AWS_REGION');
const presignedHours = Number(requireEnv('PRESIGNED_REPORT_HOURS'));

const now = () => new Date();
const bucket = {
  ...readableBucket(bucketName),
  ...listableBucket(bucketName),
  ...writableBucket(bucketName),
  ...deletableBucket(bucketName),
};

export const handler = namingPassingErrors(
  makeSummariseRun({
    store: {
      ...resultReader(bucket),
      ...resultFinder(bucket),
      ...resultWriter(bucket),
      ...runFolding(bucket),
      ...runClaims(bucket),
    },
    database,
    workGroup,
    findStarter: (runId, plannedAt) => findStarter(runStateMachineArn, runId, plannedAt),
    describePairExecution: (name) => describeExecution(pairStateMachineArn, name),
    runQuery: (sql, deadlineSeconds) => runAthenaQuery({ sql, database, workGroup, deadlineSeconds }),
    renderReport: (input) => renderReport(input, pageScript('report-script.js')),
    links: async (runId) => ({
      ...runLinks(region, bucketName, runId),
      ...(presignedHours > 0 && {
        reportPresigned: await presignedLink(bucketName, reportKey(runId), presignedHours),
      }),
    }),
    now,
    log: createLogger('summarise-run'),
  }),
);
