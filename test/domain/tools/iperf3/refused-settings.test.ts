/** A setting that iperf3 or the kernel refuses: the reason is in iperf3's own words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseIperf3Text } from '../../../../domain/tools/iperf3/text';

const FOLDER = join(__dirname, '../../../fixtures/tool-output/iperf3/3.12-refused');

test.each([
  ['congestion-control', 'unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported'],
  ['socket-buffer', 'socket buffer size not set correctly'],
  ['mss', 'unable to set TCP/SCTP MSS: Invalid argument'],
])('%s', (name, words) => {
  const output = parseIperf3Text(readFileSync(join(FOLDER, `${name}.out`), 'utf8'), { role: 'client' });

  expect(output.complete).toBe(false);
  expect(output.incompleteReason).toContain(words);
  expect(output.intervals).toEqual([]);
});
