/** `bin/forecast-table.ts` prints a stored forecast as plan-run does, and as narrow as a terminal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePlan } from '../../domain/plan/prepare-plan';
import { readPlan } from '../../domain/plan/read-plan';
import { offlineFacts } from '../../bin/offline-plan';

const ROOT = join(__dirname, '../..');

const folder = mkdtempSync(join(tmpdir(), 'forecast-'));

function printed(columns?: string): string {
  const environment = { ...process.env, COLUMNS: columns };
  const program = join(ROOT, 'node_modules/.bin/tsx');
  const done = spawnSync(program, [join(ROOT, 'bin/forecast-table.ts'), folder], {
    env: environment,
    encoding: 'utf8',
  });
  expect(done.stderr).toBe('');
  return done.stdout;
}

test('the lines are those of plan-run where nothing limits their width, and fit a terminal otherwise', () => {
  const read = readPlan({
    name: 'dry',
    pairs: [{ clientType: 'c5.2xlarge', serverType: 'c5.2xlarge', zoneRelation: 'other_zone' }],
    measurements: [{ tool: 'iperf3', durationSeconds: 600, parallelStreams: 8 }, { tool: 'ping' }],
    expect: [{ baselineBitsPerSecond: { min: 1e9 } }],
  });
  const { prepared } = preparePlan(read, offlineFacts(read));
  expect(prepared).toBeDefined();
  const { plan, pairs, forecast, forecastText } = prepared!;
  const warning = 'plan.concurrency: not compared with quota L-1216C47A, which could not be read: AccessDenied';
  const previousRun = { runId: 'run-0' };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify({ plan, pairs, previousRun }));
  writeFileSync(join(folder, 'forecast.json'), JSON.stringify({ ...forecast, warnings: [warning] }));
  expect(printed()).toBe(`${forecastText}\ncompared with run run-0\n\n${warning}\n`);
  const lines = printed('70').split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^total +\d/),
      expect.stringMatching(/^plan\.concurrency: not compared with quota L-1216C47A/),
    ]),
  );
});
