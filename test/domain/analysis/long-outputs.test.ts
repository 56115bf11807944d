/** Outputs with more intervals than a call has arguments (about 120,000): a day and a half, one interval per second. */
import { analyseOutputs } from '../../../domain/analysis/analyse-output';
import { resultToJson } from '../../../domain/model/verdict-json';
import { analysisTables } from '../../../domain/terminal/analysis-table';
import { burstThenThrottle, iperf3Lines } from '../../support/raw-streams';

const SECONDS = 36 * 3600;
const ONSET_SECONDS = 3000;
const SERIES = burstThenThrottle(SECONDS, ONSET_SECONDS);

function document(): string {
  const sumOf = (start: number, end: number, rate: number) => {
    const seconds = end - start;
    return { start, end, seconds, bytes: (rate * seconds) / 8, bits_per_second: rate, omitted: false, sender: true };
  };
  const mean = SERIES.reduce((sum, rate) => sum + rate, 0) / SECONDS;
  const whole = sumOf(0, SECONDS, mean);
  return JSON.stringify({
    start: {
      version: 'iperf 3.16',
      connecting_to: { host: '10.0.0.1', port: 5201 },
      test_start: { protocol: 'TCP', num_streams: 1, duration: SECONDS, reverse: 0 },
    },
    intervals: SERIES.map((rate, second) => ({
      streams: [{ socket: 5, ...sumOf(second, second + 1, rate) }],
      sum: sumOf(second, second + 1, rate),
    })),
    end: { streams: [{ sender: whole, receiver: whole }], sum_sent: whole, sum_received: whole },
  });
}

test.each([
  [
    'text',
    () =>
      iperf3Lines('client', SERIES, 1)
        .flatMap((line) => (line.source === 'stdout' ? line.line : []))
        .join('\n'),
  ],
  ['JSON', document],
])('%s of 36 hours', (_, output) => {
  const analysed = analyseOutputs(output())[0];
  expect(analysed).toMatchObject({ complete: true, warnings: [] });
  expect(analysed.verdict?.onset?.value).toBeCloseTo(ONSET_SECONDS, 0);
  expect(JSON.stringify(resultToJson(analysed))).toContain('"kind":"drop"');
  expect(analysisTables([{ file: 'long', analysed }])).toContain('long');
});
