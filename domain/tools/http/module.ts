/** http: several curls on the client download an object from the server's memory at the same time. */
import * as z from 'zod';
import { SETTINGS } from '../../model/settings';
import { assembleCurlStreams } from '../curl/streams';
import { durationSeconds, parallelTransfers, parametersOf, scheme, type ToolModule } from '../tool-module';

const plan = z.strictObject({
  tool: z.literal('http'),
  scheme,
  parallelStreams: parallelTransfers,
  objectBytes: SETTINGS.objectBytes.schema
    .min(1_000_000)
    .max(8_000_000_000)
    .default(1_073_741_824)
    .describe('Size of the object; each stream fetches it again and again'),
  durationSeconds,
});
type HttpPlan = z.infer<typeof plan>;
type HttpSettings = Omit<HttpPlan, 'tool'> & { readonly protocol: 'tcp'; readonly direction: 'reverse' };

export const http = {
  name: 'http',
  plan,
  programs: { nginx: 'nginx-light', curl: 'curl', openssl: 'openssl' },
  // The server streams its host's counters and nginx's processor time.
  serve: (measurement) => parametersOf(measurement, 'scheme', 'port', 'durationSeconds', 'objectBytes'),
  measure: (measurement) => parametersOf(measurement, 'scheme', 'port', 'durationSeconds', 'parallelStreams'),
  overheadSeconds: 3,
  settings: ({ tool: _tool, ...settings }): HttpSettings => ({ ...settings, protocol: 'tcp', direction: 'reverse' }),
  kind: () => 'throughput' as const,
  spendsCredits: () => true,
  countedDirection: ({ hostRole }) => (hostRole === 'client' ? 'reverse' : undefined),
  assemble: assembleCurlStreams,
} satisfies ToolModule<HttpPlan, HttpSettings>;
