/** s3: several curls on the client download or upload objects of the payload bucket at the same time. */
import * as z from 'zod';
import { SETTINGS } from '../../model/settings';
import type { PairConditions } from '../../model/conditions';
import { assembleCurlStreams } from '../curl/streams';
import {
  durationSeconds,
  parallelTransfers,
  parametersOf,
  planProblems,
  scheme,
  type Planned,
  type ToolModule,
} from '../tool-module';

/** S3 accepts at most 5 GiB in one PUT. */
const MAX_OBJECT_BYTES = 5_000_000_000;

const plan = z.strictObject({
  tool: z.literal('s3'),
  operation: z.enum(['download', 'upload']).describe('GET from S3, or PUT to it'),
  scheme,
  parallelStreams: parallelTransfers,
  objectBytes: SETTINGS.objectBytes.schema
    .min(5_000_000)
    .max(MAX_OBJECT_BYTES)
    .default(64_000_000)
    .describe("Size of the objects, random bytes; one must fit into half of the client's memory"),
  rangeBytes: SETTINGS.rangeBytes.schema
    .min(1_000_000)
    .max(MAX_OBJECT_BYTES)
    .optional()
    .describe('How much of the object each request of a download asks for; all of it by default'),
  durationSeconds,
});
type S3Plan = z.infer<typeof plan>;
type S3Settings = Omit<S3Plan, 'tool' | 'operation'> & {
  readonly mode: S3Plan['operation'];
  readonly protocol: 'tcp';
  readonly direction: 'forward' | 'reverse';
};

export const s3 = {
  name: 's3',
  plan,
  programs: { curl: 'curl' },
  measure: (measurement: Planned<S3Settings>) => ({
    Operation: measurement.mode,
    ...parametersOf(measurement, 'scheme', 'parallelStreams', 'objectBytes', 'rangeBytes', 'durationSeconds'),
  }),
  usesPayloadBucket: true,
  // Before measuring, the client creates an object and, for downloads, uploads it.
  overheadSeconds: 60,
  settings: ({ tool: _tool, operation, ...settings }: S3Plan): S3Settings => ({
    ...settings,
    mode: operation,
    protocol: 'tcp',
    direction: operation === 'download' ? 'reverse' : 'forward',
  }),
  problems: ({ operation, rangeBytes = 0, objectBytes }: S3Plan) =>
    operation === 'upload'
      ? planProblems([[rangeBytes > 0, 'rangeBytes', 'left out with operation upload']])
      : planProblems([[rangeBytes > objectBytes, 'rangeBytes', `at most objectBytes (${objectBytes})`]]),
  kind: () => 'throughput' as const,
  spendsCredits: () => true,
  // The server takes no part, and a host has only one route to S3: the gateway endpoint of its network.
  notApplicable: (_: unknown, { path }: PairConditions) => {
    if (path === 'private') return undefined;
    return `S3 is reached through its gateway endpoint, whatever the path (${path}) to the server is`;
  },
  // The upload of the object that will be downloaded is received by nobody, and so not counted.
  countedDirection: ({ hostRole, command }) => {
    if (hostRole !== 'client') return undefined;
    return command[command.indexOf('--operation') + 1] === 'upload' ? 'forward' : 'reverse';
  },
  assemble: assembleCurlStreams,
} satisfies ToolModule<S3Plan, S3Settings>;
