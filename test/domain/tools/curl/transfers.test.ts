/** Golden files: what the driver of parallel curl printed, and what the parser reads from it. */
import { describe, expect, test } from '@jest/globals';
import { parseCurlTransfers, totalBytes } from '../../../../domain/tools/curl/transfers';
import { readFixture } from '../../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/curl/${name}`);
const parse = (name: string) => parseCurlTransfers(read(name));

const streamsOf = (name: string) => [...new Set(parse(name).transfers.map((transfer) => transfer.stream))].sort();

describe('the request and the transfers', () => {
  test.each([
    ['7.88-http-4-streams.out', { parallelStreams: 4, reverse: true, durationSeconds: 5 }, 15, 15_140_554_849],
    ['7.88-https-2-streams.out', { parallelStreams: 2, reverse: true, durationSeconds: 5 }, 2, 934_379_018],
    ['7.88-s3-ranges.out', { parallelStreams: 2, reverse: true, durationSeconds: 5 }, 7, undefined],
    ['7.88-s3-upload.out', { parallelStreams: 2, reverse: false, durationSeconds: 5 }, 16, undefined],
  ])('%s', (name, asked, transferCount, bytes) => {
    const output = parse(name);

    expect(output).toMatchObject({ tool: 'curl', toolVersion: '7.88.1', protocol: 'tcp', role: 'client', ...asked });
    expect(output.complete).toBe(true);
    expect(output.incompleteReason).toBeUndefined();
    expect(output.transfers).toHaveLength(transferCount);
    const { parallelStreams } = asked;
    expect(streamsOf(name)).toEqual(Array.from({ length: parallelStreams }, (_, index) => index + 1));
    if (bytes !== undefined) expect(totalBytes(output.transfers)).toBe(bytes);
    expect(output.summaries).toEqual([
      {
        direction: asked.reverse ? 'reverse' : 'forward',
        side: asked.reverse ? 'receiver' : 'sender',
        startSeconds: 0,
        endSeconds: 5,
        bitsPerSecond: (totalBytes(output.transfers) * 8) / 5,
      },
    ]);
  });

  test("a transfer has curl's figures", () => {
    expect(parse('7.88-http-4-streams.out').transfers[0]).toEqual({
      stream: 1,
      startSeconds: 0.000373,
      seconds: 0.905287,
      bytes: 1_073_741_824,
      httpCode: 200,
      curlExitCode: 0,
    });
  });

  test('bytes that were refused do not count', () => {
    expect(parse('7.88-s3-denied.out').transfers[0]).toMatchObject({ bytes: 5_000_000, httpCode: 403 });
    expect(totalBytes(parse('7.88-s3-denied.out').transfers)).toBe(0);
  });
});

describe('an output without its end has a reason', () => {
  test.each([
    [
      '7.88-refused.out',
      "stream 1: curl: (7) Failed to connect to 127.0.0.1 port 15201 after 0 ms: Couldn't connect to server",
    ],
    ['7.88-server-died.out', 'stream 1: curl: (18) transfer closed with 7859654908 bytes remaining to read'],
    ['7.88-s3-denied.out', 'stream 1: the server answered with HTTP status 403'],
  ])('%s', (name, reason) => {
    const output = parse(name);
    expect(output).toMatchObject({ complete: false, incompleteReason: reason, errors: [reason], summaries: [] });
  });

  test.each([
    ['', 'no transfer was begun'],
    ['Traceback (most recent call last):\n', 'no transfer was begun'],
    [read('7.88-http-4-streams.out').split('\n').slice(0, -2).join('\n'), 'the transfers did not go on to their end'],
    [read('7.88-https-2-streams.out').replace(/^.*"stream":2.*\n/m, ''), 'nothing was transferred by stream 2'],
    [
      // Cut off in the middle of a line.
      read('7.88-https-2-streams.out').slice(0, -20),
      'the transfers did not go on to their end',
    ],
  ])('%j', (text, reason) => {
    expect(parseCurlTransfers(text)).toMatchObject({ complete: false, incompleteReason: reason });
  });

  test.each(['-441171717', '4e300'])('%s bytes are no throughput', (bytes) => {
    const text = read('7.88-https-2-streams.out').replace('"bytes":441171717', `"bytes":${bytes}`);
    const rates = parseCurlTransfers(text).summaries.flatMap(({ bitsPerSecond = [] }) => bitsPerSecond);
    expect(rates).toEqual([]);
  });

  test('a transfer without all its figures is omitted', () => {
    const text = read('7.88-https-2-streams.out').replace('"bytes":441171717,', '');
    expect(parseCurlTransfers(text).transfers.map((transfer) => transfer.stream)).toEqual([1]);
  });
});
