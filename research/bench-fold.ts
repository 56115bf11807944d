/**
 * Measures what folding a large run takes: `npm run bench:fold -- [pairs] [measurements per pair]`. The code of summarise-run
 * talks over HTTP to a bucket of this script in a process of its own, which answers after 20 ms, as S3 does.
 *
 * Every measurement is half an hour of iperf3. Exit code 1: the fold takes more than 30 s, or the process more memory than
 * the function has.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forecastRun } from '../domain/forecast/forecast-run';
import { pricesOf } from '../domain/forecast/prices/price-table';
import type { Sample } from '../domain/model/sample';
import { ONE_VCPU_MEBIBYTES } from '../domain/model/service-facts';
import { resultToJson } from '../domain/model/verdict-json';
import { workOf } from '../domain/plan/prepare-plan';
import { measurementRow, sampleRow } from '../domain/tables/columns';
import type { LaunchedHost, PairHosts } from '../domain/workflow/contracts';
import {
  forecastKey,
  launchIntentKey,
  measurementResultKey,
  measurementSamplesKey,
  pairHostsKey,
  planKey,
  REPORTS_PREFIX,
  rowPartKey,
} from '../domain/workflow/object-keys';
import type { ObjectMetadata } from '../lambdas/adapters/s3';
import { encodeGzipRows, encodeJson, encodeMeasurementSamples } from '../lambdas/result-store/encoding';
import { throttledResult } from '../test/support/measurement-results';
import { plannedRun, RUN_ID } from '../test/support/planned-run';
import { seededRandom } from '../test/support/random';

const [pairCount = 1000, measurementCount = 3] = process.argv.slice(2).map(Number);
const SECONDS = 1800;
const STREAMS = 4;
const LATENCY_MILLISECONDS = 20;
const KEYS_PER_LIST = 1000;
const LIMIT_SECONDS = 30;

const run = plannedRun({
  pairs: Array.from({ length: pairCount }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' })),
  measurements: Array.from({ length: measurementCount }, () => ({ tool: 'iperf3', durationSeconds: SECONDS })),
});
const measurementIds = run.pairs.flatMap((pair) => pair.measurements.map(({ measurementId }) => measurementId));

/** What iperf3 with a few streams and the counters of both hosts make of half an hour. */
function samplesOfOneMeasurement(): Sample[] {
  const random = seededRandom(1);
  const host = (hostRole: Sample['hostRole'], metric: Sample['metric'], startSeconds: number, stream = 'sum') =>
    ({ metric, hostRole, direction: 'forward', stream, startSeconds, lengthSeconds: 1 }) as const;
  const rate = () => Math.round(random.uniform(0.9e9, 1.1e9));
  const counter = () => (random.chance(0.2) ? random.integer(1, 5000) : 0);
  return Array.from({ length: SECONDS }, (_, second) => [
    { ...host('server', 'throughput', second), throughputBitsPerSecond: rate() },
    {
      ...host('client', 'sent_throughput', second),
      throughputBitsPerSecond: rate(),
      retransmits: counter(),
      congestionWindowBytes: random.integer(100_000, 4_000_000),
    },
    ...Array.from({ length: STREAMS }, (_, stream) => ({
      ...host('server', 'stream_throughput', second, String(5 + stream)),
      throughputBitsPerSecond: rate(),
    })),
    ...(['client', 'server'] as const).flatMap((role) => {
      const start = second + random.uniform(0.96, 0.98);
      return [
        { ...host(role, 'interface', start), receivedBitsPerSecond: rate(), sentBitsPerSecond: rate() },
        {
          ...host(role, 'allowance', start),
          bwInAllowanceExceeded: counter(),
          bwOutAllowanceExceeded: counter(),
          ppsAllowanceExceeded: 0,
          conntrackAllowanceExceeded: 0,
          linklocalAllowanceExceeded: 0,
        },
        {
          ...host(role, 'tool_cpu', start),
          userCpuPercent: random.uniform(0, 5),
          systemCpuPercent: random.uniform(10, 60),
        },
      ];
    }),
  ]).flat();
}

/** What the price of a pair is made from. */
function recordsOfPair(pairId: string): (readonly [string, Uint8Array])[] {
  const launchedAt = run.createdAt;
  const host = (instanceId: string): LaunchedHost => {
    const placed = { zone: 'eu-test-1a', subnetId: 'subnet-a', imageId: 'ami-x86', privateIp: '10.0.0.1' };
    return { instanceId, instanceType: 'c5.xlarge', ...placed, launchedAt };
  };
  const hosts: PairHosts = { runId: RUN_ID, pairId, launchedAt, client: host('i-1'), server: host('i-2') };
  return [
    [launchIntentKey(RUN_ID, pairId), encodeJson({ launchedAt })],
    [pairHostsKey(RUN_ID, pairId), encodeJson(hosts)],
  ];
}

/** All measurements have the same parts, so that the bucket keeps each of them once. */
function serveBucket(): void {
  const samples = samplesOfOneMeasurement();
  const resultOf = (measurementId: string) =>
    throttledResult({ runId: RUN_ID, measurementId, pairId: measurementId.slice(0, 5) });
  const { pairs, instanceTypes } = run;
  const forecast = forecastRun({ pairs, instanceTypes, ...pricesOf('us-east-1'), workOf });
  const [anyId = ''] = measurementIds;
  const identity = { runId: RUN_ID, measurementId: anyId };
  const rows = samples.map((sample) => sampleRow(sample, identity));
  const { body: samplesBody, metadata } = encodeMeasurementSamples('samples', rows);
  const rowBody = encodeGzipRows([measurementRow(resultOf(anyId))]);
  const objects = new Map<string, Uint8Array>([
    ...measurementIds.map((id) => [measurementSamplesKey(RUN_ID, id), samplesBody] as const),
    ...measurementIds.map((id) => [rowPartKey(RUN_ID, id), rowBody] as const),
    ...measurementIds.map((id) => [measurementResultKey(RUN_ID, id), encodeJson(resultToJson(resultOf(id)))] as const),
    ...run.pairs.flatMap(({ pairId }) => recordsOfPair(pairId)),
    [planKey(RUN_ID), encodeJson(run)],
    [forecastKey(RUN_ID), encodeJson(forecast)],
  ]);
  const etags = new Map([samplesBody, rowBody].map((body) => [body, createHash('md5').update(body).digest('hex')]));
  const headers = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const);

  const list = (prefix: string, token: string | null) => {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const from = Number(token ?? 0);
    const contents = keys.slice(from, from + KEYS_PER_LIST).map((key) => {
      const body = objects.get(key) ?? new Uint8Array();
      return `<Contents><Key>${key}</Key><ETag>"${etags.get(body)}"</ETag></Contents>`;
    });
    const next = from + KEYS_PER_LIST;
    const more = next < keys.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${next < keys.length}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`;
  };
  const answer = (method: string, url: URL, sent: Uint8Array, response: ServerResponse) => {
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    if (method === 'GET' && url.searchParams.has('list-type')) {
      return response.end(list(url.searchParams.get('prefix') ?? '', url.searchParams.get('continuation-token')));
    }
    // The rest of what is written is read by nobody here.
    if (method === 'PUT' && key.startsWith(REPORTS_PREFIX)) objects.set(key, sent);
    const body = objects.get(key);
    if (body === samplesBody) for (const [name, value] of headers) response.setHeader(name, value);
    if (method === 'GET') return response.end(body);
    return response.end(method === 'POST' ? '<DeleteResult/>' : '');
  };
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const sent: Buffer[] = [];
    request.on('data', (chunk: Buffer) => sent.push(chunk));
    request.on('end', () => {
      setTimeout(
        () => answer(method, new URL(url, 'http://bucket'), Buffer.concat(sent), response),
        LATENCY_MILLISECONDS,
      );
    });
  });
  const partBytes = { samples: samplesBody.length, row: rowBody.length };
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port, partBytes, metadata }),
  );
}

interface BucketFacts {
  readonly port: number;
  /** Of one measurement. */
  readonly partBytes: { readonly samples: number; readonly row: number };
  readonly metadata: ObjectMetadata;
}

async function measure(bucketServer: ChildProcess): Promise<void> {
  const { port, partBytes, metadata } = await new Promise<BucketFacts>((resolve) => {
    bucketServer.once('message', resolve);
  });
  const credentials = { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench', AWS_REGION: 'eu-test-1' };
  Object.assign(process.env, { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, ...credentials });
  const { deletableBucket, listableBucket, readableBucket, writableBucket } = await import('../lambdas/adapters/s3');
  const { makeSummariseRun } = await import('../lambdas/summarise-run/summarise-run');
  const { renderReport } = await import('../test/support/report-input');
  const { runLinks } = await import('../domain/workflow/console-links');
  const { resultFinder } = await import('../lambdas/result-store/reader');
  const { resultReader } = await import('../lambdas/result-store/reader');
  const { resultWriter } = await import('../lambdas/result-store/writer');
  const { runClaims } = await import('../lambdas/result-store/run-execution');
  const { runFolding } = await import('../lambdas/result-store/folding');
  const bucket = { ...readableBucket('b'), ...listableBucket('b'), ...writableBucket('b'), ...deletableBucket('b') };
  const folding = runFolding(bucket);
  const writer = resultWriter(bucket);
  const tearDownStartedAtMillis = Date.parse(run.createdAt) + measurementCount * SECONDS * 1000;
  let foldSeconds = 0;
  let processorSeconds = 0;
  const costsUsd: (number | null)[] = [];
  const started = performance.now();
  await makeSummariseRun({
    database: 'bench',
    workGroup: 'bench',
    findStarter: () => Promise.resolve(undefined),
    describePairExecution: () => Promise.resolve(undefined),
    runQuery: () => Promise.resolve([]),
    renderReport,
    store: {
      ...resultReader(bucket),
      ...resultFinder(bucket),
      ...writer,
      ...folding,
      ...runClaims(bucket),
      writeCost: (cost) => {
        costsUsd.push(cost.costUsd);
        return writer.writeCost(cost);
      },
      foldRun: async (planned, lateMeasurementId) => {
        const before = performance.now();
        const used = process.cpuUsage();
        await folding.foldRun(planned, lateMeasurementId);
        foldSeconds = (performance.now() - before) / 1000;
        const { user, system } = process.cpuUsage(used);
        processorSeconds = (user + system) / 1e6;
      },
    },
    links: (runId) => Promise.resolve(runLinks('eu-central-1', 'results', runId)),
    now: () => new Date(run.createdAt),
    log: () => undefined,
  })({
    runId: RUN_ID,
    pairs: run.pairs.map(({ pairIndex }) => ({ pairIndex, status: 'complete', tearDownStartedAtMillis })),
    interruptedReason: null,
  });
  const seconds = (performance.now() - started) / 1000;
  const mebibytes = process.resourceUsage().maxRSS / 1024;
  const totalMegabytes = (measurementIds.length * partBytes.samples) / 1e6;
  console.log(`bytes of one measurement: ${JSON.stringify(partBytes)}, ${JSON.stringify(metadata)}`);
  console.log(`${pairCount} pairs, ${measurementIds.length} measurements, ${totalMegabytes.toFixed(0)} MB of samples`);
  console.log(
    `fold ${foldSeconds.toFixed(1)} s of ${LIMIT_SECONDS} s, of the processor ${processorSeconds.toFixed(1)} s; whole summary ${seconds.toFixed(1)} s`,
  );
  const costUsd = costsUsd[0] ?? null;
  if (costUsd === null) throw new Error('the price of the run: must be known, so that its rows have it');
  console.log(`memory at most ${mebibytes.toFixed(0)} MiB of ${ONE_VCPU_MEBIBYTES} MiB; the run cost ${costUsd} USD`);
  // For `npm run bench:store`.
  console.log(
    JSON.stringify({ foldSeconds, limitSeconds: LIMIT_SECONDS, mebibytes, limitMebibytes: ONE_VCPU_MEBIBYTES }),
  );
  process.exitCode = foldSeconds > LIMIT_SECONDS || mebibytes > ONE_VCPU_MEBIBYTES ? 1 : 0;
}

if (process.send !== undefined) {
  serveBucket();
} else {
  const bucketServer = fork(__filename, process.argv.slice(2), { execArgv: process.execArgv });
  void measure(bucketServer).finally(() => {
    bucketServer.kill();
  });
}
