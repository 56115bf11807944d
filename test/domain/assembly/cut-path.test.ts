import { expect, test } from '@jest/globals';
import { cutPathReason } from '../../../domain/assembly/cut-path';
import type { RawStream } from '../../../domain/assembly/raw-streams';
import { chunkHeader, countersOf } from '../../support/raw-streams';

const CUT_SECOND = 8;
const until = (second: number, value: number) => (at: number) => (at < second ? value : 0);

function stream(
  hostRole: 'client' | 'server',
  received: (second: number) => number,
  timeouts?: (second: number) => number,
  seconds = 30,
): RawStream {
  return {
    header: chunkHeader({ hostRole }),
    lines: countersOf(seconds, { rx_bytes: received, tcp_timeouts: timeouts }),
  };
}

const once = (second: number) => (at: number) => (at === second ? 1 : 0);
const repeated = (second: number) => (second >= CUT_SECOND && second % 4 === 0 ? 1 : 0);
const client = stream('client', until(CUT_SECOND, 40e3), repeated);
const acknowledgements = (second: number) => (second % 10 === 3 ? 5e3 : 0);
const server = stream(
  'server',
  (second) => until(CUT_SECOND, 25e6)(second) + acknowledgements(second),
  () => 0,
);

test.each<[string, RawStream | undefined, RawStream | undefined, number | undefined]>([
  ['a path that is cut, beside traffic with S3', client, server, 6],
  [
    'a client that only waits, while the server sends again',
    stream('client', until(CUT_SECOND, 25e6), () => 0),
    stream('server', until(CUT_SECOND, 40e3), repeated),
    6,
  ],
  ['a tool that hangs', stream('client', until(CUT_SECOND, 40e3), () => 0), server, undefined],
  ['a single lost packet to S3', stream('client', until(CUT_SECOND, 40e3), once(12)), server, undefined],
  ['a host that is lost', client, stream('server', until(CUT_SECOND, 25e6), () => 0, 10), undefined],
  [
    'a path that carries something again',
    client,
    stream('server', (second) => (second < 8 || second > 26 ? 25e6 : 0)),
    undefined,
  ],
  [
    'a silence of four seconds',
    stream('client', until(CUT_SECOND, 40e3), () => 1),
    stream('server', until(CUT_SECOND, 25e6), () => 0, 12),
    undefined,
  ],
  ['hosts that do not count timeouts', stream('client', until(CUT_SECOND, 40e3)), server, undefined],
  ['no traffic at all', stream('client', () => 0, repeated), stream('server', () => 0, repeated), undefined],
  ['the streams of one host', client, undefined, undefined],
])('%s', (_, ofClient, ofServer, timesSent) => {
  const receiver = ofClient === client ? 'server' : 'client';
  expect(cutPathReason({ client: ofClient, server: ofServer })).toBe(
    timesSent &&
      `the path between the hosts was cut: nothing arrived at the ${receiver} after second 8, although both hosts went ` +
        `on and TCP sent ${timesSent} times again what was not acknowledged`,
  );
});
