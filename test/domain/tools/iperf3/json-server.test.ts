import { parseIperf3Json } from '../../../../domain/tools/iperf3/json';
import { analyseOutputs } from '../../../../domain/analysis/analyse-output';
import { throughputOf } from '../../../../domain/model/statistics';
import { readFixture } from '../../../support/fixtures';

function read(name: string): string {
  return readFixture(`tool-output/iperf3/3.12-json-server/${name}.out`);
}

/** A server knows only its own end: what it prints for the other end is not measured. */
test.each([
  ['forward', { reverse: false, bidirectional: false }, ['forward receiver']],
  ['reverse', { reverse: true, bidirectional: false }, ['reverse sender']],
  ['udp-reverse', { reverse: true, bidirectional: false, protocol: 'udp' }, ['reverse sender']],
  ['bidir', { bidirectional: true, parallelStreams: 2 }, ['forward receiver', 'reverse sender']],
])('%s', (name, facts, summaries) => {
  const output = parseIperf3Json(read(name));
  expect(output).toMatchObject({ role: 'server', complete: true, durationSeconds: 2, ...facts });
  expect(output.summaries.map((summary) => `${summary.direction} ${summary.side}`)).toEqual(summaries);
  const series = new Set(output.intervals.map((interval) => `${interval.direction} ${interval.side}`));
  expect([...series].sort()).toEqual(summaries);
});

test('a UDP server that sends reports no loss', () => {
  const statistics = throughputOf(analyseOutputs(read('udp-reverse'))[0])?.main;
  expect(statistics).toMatchObject({ sentPackets: 893 });
  expect(statistics?.lostPackets).toBeUndefined();
  expect(statistics?.jitterMicros).toBeUndefined();
});
