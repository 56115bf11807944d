/** The scripts on the hosts and the documentation cannot import `service-facts.ts`: these tests hold them to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_SECONDS, RETENTION_DAYS } from '../../domain/model/service-facts';

const textOf = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

test('the streamer cuts a chunk as often as the price assumes', () => {
  const [, seconds] = /^CHUNK_SECONDS = ([\d.]+)$/m.exec(textOf('ssm-documents/shared/tool_run.py')) ?? [];
  expect(Number(seconds)).toBe(CHUNK_SECONDS);
});

test.each([
  ['raw/', RETENTION_DAYS.rawStreams],
  ['live_samples/', RETENTION_DAYS.liveSamples],
  ['live_measurements/', RETENTION_DAYS.liveMeasurements],
  ['athena-results/', RETENTION_DAYS.queryResults],
])('the reference says how long %s is kept', (prefix, days) => {
  const row = textOf('docs/reference/columns.md')
    .split('\n')
    .find((line) => line.startsWith(`| \`${prefix}`));
  expect(row).toMatch(new RegExp(`\\| ${days} days +\\|$`));
});
