/** `npm run test:unit` leaves nothing among the machine's temporary files, where each `App` of the CDK makes a folder. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
// A linked file would look for the folder beside itself, in this checkout.
const COPIED = ['package.json', 'jest.config.mjs', 'test/support'];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lane-'));
  for (const part of COPIED) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // The project's own tests are not those of the copy.
  for (const file of readdirSync(join(folder, 'test/support'))) {
    if (file.endsWith('.test.ts')) rmSync(join(folder, 'test/support', file));
  }
  writeFileSync(
    join(folder, 'test/leaves.test.ts'),
    `import { App, Stack } from 'aws-cdk-lib';
     import { existsSync, mkdtempSync } from 'node:fs';
     import { tmpdir } from 'node:os';
     import { join } from 'node:path';
     test('leaves two folders', () => {
       const app = new App();
       new Stack(app, 'stack');
       expect(existsSync(app.synth().directory)).toBe(true);
       mkdtempSync(join(tmpdir(), 'left-'));
     });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test('what the tests leave there, and what a killed run left, is gone at the end', () => {
  const machine = join(folder, 'machine');
  // No process has this number: it is above the kernel's limit.
  const killed = join(folder, '.cache/tmp/4194305');
  for (const made of [machine, killed]) mkdirSync(made, { recursive: true });
  const { status, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/jest'),
    ['--rootDir', folder, '--config', join(folder, 'jest.config.mjs')],
    {
      cwd: folder,
      env: { ...process.env, TMPDIR: machine },
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('leaves two folders') as string });
  expect(readdirSync(machine)).toEqual([]);
  expect(readdirSync(join(folder, '.cache/tmp'))).toEqual([]);
});
