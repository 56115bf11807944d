/**
 * Prints the processor time that the largest inputs cost, each at a quarter of its size and in full: work that grows
 * with the size has a ratio of about 4, work that grows with its square one of 16. `scripts/with-node.sh tsx
 * scripts/bench-large-inputs.ts`
 */
import { offlinePlan } from '../bin/offline-plan';
import { analyseOutputs } from '../domain/analysis/analyse-output';
import { rateIntervals } from '../domain/detection/prediction';
import { classifySeries } from '../domain/detection/index';
import { parseToolOutput } from '../domain/tools/parse-tool-output';
import { renderReport } from '../domain/report/render-report';
import { roundTrips } from '../test/support/compared-results';
import { burstThenThrottle, iperf3Lines } from '../test/support/raw-streams';
import { reportInput } from '../test/support/report-input';
import { smallest } from '../domain/maths/extremes';

const REPETITIONS = 5;

/** What is measured, its full size, and the work for an input of a given size, made before the clock starts. */
const CASES: readonly (readonly [string, number, (size: number) => () => unknown])[] = [
  [
    'seconds of a throttled series, classified',
    86_400,
    (size) => {
      const t = Array.from({ length: size }, (_, index) => index);
      const bps = t.map((second) => (second < 0.4 * size ? 8e9 : 1e9) * (1 + 0.01 * Math.sin(7 * second)));
      const series = rateIntervals({ id: 'series', t, bps, dt: 1 });
      return () => classifySeries(series);
    },
  ],
  [
    "seconds of iperf3's text with four streams, analysed",
    129_600,
    (size) => {
      const lines = iperf3Lines('client', burstThenThrottle(size, 3000), 4);
      const text = lines.map((line) => (line.source === 'stdout' ? line.line : '')).join('\n');
      return () => analyseOutputs(text)[0];
    },
  ],
  [
    'pairs of a plan, read and forecast',
    1000,
    (size) => {
      const pair = { clientType: 'c5.large', serverType: 'm5.4xlarge', zoneRelation: 'other_zone' };
      const measurements = [{ tool: 'iperf3', durationSeconds: 1800 }];
      const plan = { name: 'large', pairs: Array.from({ length: size }, () => pair), measurements };
      return () => offlinePlan(plan);
    },
  ],
  [
    'measurements of a report, rendered',
    1000,
    (size) => {
      const results = Array.from({ length: size }, (_, index) => {
        const pairId = `p${String(index + 1).padStart(4, '0')}`;
        return roundTrips(100 + index, { pairId, measurementId: `${pairId}-m01`, clientType: `c${index}.large` });
      });
      const input = reportInput({ results, seriesOf: new Map(), failedPairs: [], earlierRuns: [] });
      return () => renderReport(input);
    },
  ],
  [
    'braces after a torn beginning, refused',
    1_000_000,
    (size) => {
      const text = `"start": ${'{'.repeat(size)}`;
      return () => {
        try {
          parseToolOutput(text);
        } catch {
          return;
        }
        throw new Error('braces: must be refused, got a result');
      };
    },
  ],
];

function leastMilliseconds(work: () => unknown): number {
  const times = Array.from({ length: REPETITIONS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return smallest(times);
}

for (const [name, size, workOf] of CASES) {
  const [quarter, full] = [size / 4, size].map((count) => leastMilliseconds(workOf(count))) as [number, number];
  console.log(`${size} ${name}: ${full.toFixed(0)} ms, ${(full / quarter).toFixed(1)} times a quarter of it`);
}
