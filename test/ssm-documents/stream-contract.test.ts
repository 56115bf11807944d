/** Streamer (Python) and readers (TypeScript) agree on keys and format: what the one writes is read with the other. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChunkHeader, RawLine, StreamManifest } from '../../domain/model/raw-chunk';
import { CHUNK_SCHEMA, MANIFEST_SCHEMA } from '../../domain/model/raw-chunk';
import { manifestKey, parseRawChunkKey, rawChunkKey, type StreamIdentity } from '../../domain/workflow/object-keys';

const REPOSITORY = join(__dirname, '../..');
const VENV_PYTHON = join(REPOSITORY, '.cache/venv/bin/python');
const PYTHON = existsSync(VENV_PYTHON) ? VENV_PYTHON : 'python3';
const FACTS = { instanceId: 'i-0123456789abcdef0', queueCount: 4 };
const STREAM: StreamIdentity = {
  userId: 'AROAEXAMPLE:i-0123456789abcdef0',
  runId: 'nightly_2026-11',
  measurementId: 'p0001-m02',
  hostRole: 'server',
};

const objects = new Map<string, Uint8Array>();

function localAws(): Server {
  return createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.method === 'PUT') {
        objects.set(decodeURIComponent(request.url!).replace(/^\/results\//, ''), new Uint8Array(body));
        response.end();
      } else {
        response.end(
          `<GetCallerIdentityResponse><GetCallerIdentityResult><UserId>${STREAM.userId}</UserId>` +
            '</GetCallerIdentityResult></GetCallerIdentityResponse>',
        );
      }
    });
  });
}

async function runStreamer(endpoint: string, stateDirectory: string): Promise<string> {
  const options = {
    'run-id': STREAM.runId,
    'pair-id': 'p0001',
    'measurement-id': STREAM.measurementId,
    'host-role': STREAM.hostRole,
    bucket: 'results',
    tool: 'iperf3',
    'state-directory': stateDirectory,
    interface: 'lo',
  };
  const streamer = spawn(
    PYTHON,
    [
      join(REPOSITORY, 'ssm-documents/shared/stream.py'),
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      '--',
      'sh',
      '-c',
      'echo one; echo two >&2; sleep 1.5; printf "µ three"',
    ],
    {
      env: {
        PATH: process.env.PATH,
        AWS_ENDPOINT_URL: endpoint,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
        AWS_SSM_INSTANCE_ID: FACTS.instanceId,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const part of streamer.stdout) output += String(part);
  return output;
}

describe('the streamer', () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'streamer-'));
  const server = localAws();
  let result: unknown;

  beforeAll(async () => {
    writeFileSync(join(stateDirectory, 'host-facts.json'), JSON.stringify(FACTS));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    result = JSON.parse(await runStreamer(`http://127.0.0.1:${port}`, stateDirectory));
  });

  afterAll(() => {
    server.close();
    rmSync(stateDirectory, { recursive: true });
  });

  const manifest = () => JSON.parse(new TextDecoder().decode(objects.get(manifestKey(STREAM)))) as StreamManifest;
  const chunk = () =>
    gunzipSync(objects.get(rawChunkKey(STREAM, 0))!)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('writes the keys that the store reads, and nothing else', () => {
    expect([...objects.keys()].sort()).toEqual([rawChunkKey(STREAM, 0), manifestKey(STREAM)].sort());
    expect(parseRawChunkKey(rawChunkKey(STREAM, 0))).toEqual({ ...STREAM, sequence: 0 });
  });

  it('begins a chunk with its header', () => {
    expect(chunk()[0]).toEqual({
      schema: CHUNK_SCHEMA,
      runId: STREAM.runId,
      pairId: 'p0001',
      measurementId: STREAM.measurementId,
      hostRole: STREAM.hostRole,
      instanceId: FACTS.instanceId,
      sequence: 0,
      tool: 'iperf3',
      toolVersion: expect.stringMatching(/^3\.\d+/) as unknown as string,
      command: expect.arrayContaining(['sh', '-c']) as unknown as string[],
      startedAtSeconds: expect.any(Number) as unknown as number,
    } satisfies ChunkHeader);
  });

  it('stamps lines, counters and the facts of the host', () => {
    const lines = chunk().slice(1) as RawLine[];
    expect(lines[0]).toMatchObject({ source: 'facts', facts: FACTS });
    const tool = lines.flatMap((line) => ('line' in line ? [`${line.source}: ${line.line}`] : []));
    expect(tool.sort()).toEqual(['stderr: two', 'stdout: one', 'stdout: µ three']);
    const counters = lines.flatMap((line) =>
      'counters' in line && line.source === 'interface' ? [line.counters] : [],
    );
    expect(counters.length).toBeGreaterThanOrEqual(2);
    expect(counters[0]!.rx_bytes).toEqual(expect.any(Number));
    const processorTime = lines.flatMap((line) => ('counters' in line && line.source === 'cpu' ? [line.counters] : []));
    expect(processorTime[0]).toEqual({
      user_seconds: expect.any(Number) as unknown as number,
      system_seconds: expect.any(Number) as unknown as number,
    });
    for (const { time } of lines) expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(60);
  });

  it('ends with a manifest that accounts for every line', () => {
    const lineCount = chunk().length - 1;
    expect(manifest()).toEqual({
      schema: MANIFEST_SCHEMA,
      runId: STREAM.runId,
      pairId: 'p0001',
      measurementId: STREAM.measurementId,
      hostRole: STREAM.hostRole,
      instanceId: FACTS.instanceId,
      tool: 'iperf3',
      toolVersion: expect.stringMatching(/^3\.\d+/) as unknown as string,
      command: expect.any(Array) as unknown as string[],
      startedAtSeconds: expect.any(Number) as unknown as number,
      endedAtSeconds: expect.any(Number) as unknown as number,
      exitCode: 0,
      signal: null,
      chunks: [
        {
          sequence: 0,
          key: rawChunkKey(STREAM, 0),
          sha256: createHash('sha256')
            .update(objects.get(rawChunkKey(STREAM, 0))!)
            .digest('hex'),
          lineCount,
        },
      ],
      lineCount,
    } satisfies StreamManifest);
    expect(result).toEqual({ status: 'complete', exitCode: 0, reason: '', chunkCount: 1, lineCount });
  });
});
