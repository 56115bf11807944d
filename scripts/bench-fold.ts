/**
 * Measures how long the fold of a run takes and what it holds in memory: `npm run bench:fold -- [pairs] [measurements]`.
 * The handler's own code talks to a bucket of this script, over HTTP, which answers each request after 20 ms, as S3 does.
 * Every measurement is half an hour of iperf3. Exit code 1: longer than 30 s, or more than the function's memory.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Sample } from '../domain/model/sample';
import { measurementRowsKey, partKey, planKey } from '../domain/workflow/object-keys';
import { FakeStore } from '../test/support/fake-store';
import { throttledResult } from '../test/support/measurement-results';
import { plannedRun } from '../test/support/planned-run';
import { randomSource } from '../test/support/random';

const [PAIRS = 1000, MEASUREMENTS = 3] = process.argv.slice(2).map(Number);
const SECONDS = 1800;
const LATENCY_MILLISECONDS = 20;
const LIMIT_SECONDS = 30;
/** `ONE_VCPU_MEBIBYTES` of lib/functions/benchmark-functions.ts. */
const LIMIT_MEBIBYTES = 1769;
