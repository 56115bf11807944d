/** What a terminal would obey in a file is shown by everything that prints it, and obeyed by none. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyseOutputs } from '../../domain/analysis/analyse-output';
import { ToolOutputError } from '../../domain/parsers/tool-output';
import { verdictTable } from '../../domain/terminal/verdict-table';
import { fixturePath, readFixture } from '../support/fixtures';
import { failedResult, latencyResult } from '../support/measurement-results';
import { renderReport, reportInput } from '../support/report-input';

const ROOT = join(__dirname, '..', '..');
/** A title for the window, an erased screen in both forms, a line that covers another, and a reversed direction. */
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b2J\u007f\r\u202e\u2028';
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const withoutLineFeeds = (text: string) => text.replaceAll('\n', ' ');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'escapes-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function analyse(...args: string[]) {
  const { npm_lifecycle_event, ...env } = process.env;
  const run = spawnSync('bash', ['scripts/analyse.sh', ...args], { cwd: ROOT, env, encoding: 'utf8' });
  return { exitCode: run.status, output: run.stdout, errors: run.stderr };
}

const FILES = {
  ping: `ping: connect: Network ${ESCAPES} is unreachable\n`,
  iperf3: `iperf3: error - unable to connect to server: ${ESCAPES} refused\n`,
  json: JSON.stringify({
    start: { version: `iperf 3.12${ESCAPES}` },
    intervals: [],
    end: {},
    error: `error - ${ESCAPES}`,
  }),
  sockperf: `sockperf: == version #3.7\nsockperf: ERROR: ${ESCAPES}\n`,
  tracepath: ` 1?: [LOCALHOST] pmtu 1500\n 1:  send failed ${ESCAPES}\n`,
  prose: `dear ${ESCAPES} diary\n`,
};

function hostileFiles(): string[] {
  return Object.entries(FILES).map(([name, text]) => {
    const path = join(folder, `${name}${ESCAPES}.txt`);
    writeFileSync(path, text);
    return path;
  });
}

test('escapes in files and in their names do not come out of the tables and the errors', () => {
  const { exitCode, output, errors } = analyse(...hostileFiles());
  expect(exitCode).toBe(1);
  expect(withoutLineFeeds(output + errors)).not.toMatch(OBEYED);
  expect(output).toContain('\\u001b]0;owned\\u0007');
  expect(errors).toContain('prose\\u001b]0;owned');
});

test('nor out of --json, which still has the names of the files', () => {
  const files = hostileFiles();
  const { output, errors } = analyse('--json', ...files);
  expect(withoutLineFeeds(output + errors)).not.toMatch(OBEYED);
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ file }) => file)).toEqual(files);
});

test('nor out of --series, which still has the ids', () => {
  const t = Array.from({ length: 30 }, (_, index) => index);
  const series = { id: `a${ESCAPES}`, t, bps: t.map(() => 1e9) };
  const path = join(folder, 'series.jsonl');
  writeFileSync(path, `${JSON.stringify(series)}\n{"id": "${ESCAPES}\n{"id": {"${ESCAPES.slice(-1)}": 1}}\n`);
  const { output, errors } = analyse('--series', path);
  expect(withoutLineFeeds(output + errors)).not.toMatch(OBEYED);
  expect(JSON.parse(output)).toMatchObject({ id: series.id });
  // Both lines that can't be read, and an example of one that can.
  expect(errors.trimEnd().split('\n')).toHaveLength(3);
});

/** Of each tool and version, one recording of each size class: they have all fields, and fewer positions to try. */
function shortRecordings(): string[] {
  const root = fixturePath('tool-output');
  return (readdirSync(root, { recursive: true }) as string[])
    .filter(
      (name) => !name.endsWith('.md') && statSync(join(root, name)).isFile() && statSync(join(root, name)).size < 6000,
    )
    .map((name) => readFileSync(join(root, name), 'utf8'));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

test('no field of any recording takes an escape through its parser', () => {
  const hostile: string[] = [];
  for (const recording of shortRecordings()) {
    const ends = [...recording.matchAll(/[\w.:)\]"](?=\W|$)/g)].map(({ index }) => index + 1);
    const step = Math.max(1, Math.floor(ends.length / 40));
    for (const end of ends.filter((_, index) => index % step === 0)) {
      const escapes = recording.trimStart().startsWith('{') ? JSON.stringify(ESCAPES).slice(1, -1) : ESCAPES;
      try {
        const analysed = analyseOutputs(recording.slice(0, end) + escapes + recording.slice(end));
        hostile.push(...stringsIn(analysed).filter((text) => OBEYED.test(text)));
      } catch (thrown) {
        if (!(thrown instanceof ToolOutputError)) throw thrown;
        if (OBEYED.test(thrown.message)) hostile.push(thrown.message);
      }
    }
  }
  expect(hostile).toEqual([]);
});

test('nor do they come out of the report and the verdict table', () => {
  const latency = latencyResult();
  const results = [
    { ...failedResult(), reason: `refused ${ESCAPES}`, warnings: [`a ${ESCAPES}`] },
    { ...latency, toolVersion: ESCAPES, client: latency.client && { ...latency.client, facts: { kernel: ESCAPES } } },
  ];
  expect(withoutLineFeeds(renderReport(reportInput({ results })))).not.toMatch(OBEYED);
  expect(withoutLineFeeds(verdictTable(results))).not.toMatch(OBEYED);
});

test('a recorded file is printed as before', () => {
  const path = join(folder, 'plain.txt');
  writeFileSync(path, readFixture('tool-output/ping/20221126-unreachable.out'));
  expect(analyse(path).output).not.toContain('\\u');
});
