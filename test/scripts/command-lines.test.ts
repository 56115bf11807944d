/**
 * What commands of the package answer before they start anything. `plan` and `analyse` have theirs in test/bin/, `prove`
 * in test/on-aws/options.test.ts, the lab's in test/lab/test_command_lines.py.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

function run(script: string, ...args: string[]) {
  return spawnSync('bash', [join(__dirname, '../../scripts', script), ...args], { encoding: 'utf8' });
}

test.each([
  ['test.sh', ['--help'], /^usage: npm test /],
  ['prove.sh', ['--help'], /^usage: npm run prove /],
  ['prove.sh', ['--lab', '--list', '--checks', 'documents'], /^documents +0\.00 /m],
])('%s %j prints it and ends', (script, args, printed) => {
  expect(run(script, ...args)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(printed) as string,
    stderr: '',
  });
});

test.each([
  ['test.sh', ['unit', 'nosuch'], /^test: lane: must be unit, python, boot, lab, athena or browser, got "nosuch"\n$/],
  [
    'analyse.sh',
    ['--nosuch'],
    /^analyse: unknown option "--nosuch"; allowed: --json, --series, --sender, --receiver, --help\n\nusage: /,
  ],
  [
    'prove.sh',
    ['--lab', '--nosuch'],
    /^prove: unknown option "--nosuch"; allowed: --profile, --stack, .*--help\n\nusage: /,
  ],
])('%s %j is refused with a sentence and exit code 2', (script, args, refusal) => {
  expect(run(script, ...args)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(refusal) as string,
  });
});
