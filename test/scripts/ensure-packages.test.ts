/** What `scripts/ensure-packages.sh` asks for, and the line that it prints for a user who may not install. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../../scripts/ensure-packages.sh');
/** Tools that every Debian has. */
const PRESENT = ['bash', 'dirname', 'sort'];

let folder: string;

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const findTool = (name: string) =>
  spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
  for (const tool of PRESENT) symlinkSync(findTool(tool), join(folder, tool));
  // The purpose `check` then lacks shellcheck alone.
  program('git', 'exit');
  program('id', 'echo 1000');
  program('apt-get', 'echo "apt-get must not be called" >&2; exit 1');
  program('python3', '[[ $* != *--missing-settings* ]] || cat "${0%/*}/settings"');
  symlinkSync(findTool('cat'), join(folder, 'cat'));
  writeFileSync(join(folder, 'settings'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ensure = (...purpose: string[]) =>
  spawnSync('bash', [SCRIPT, ...purpose], { env: { PATH: folder }, encoding: 'utf8' });

const REFUSAL =
  'setup: this user may not install what is missing. Have an administrator run this line, then start again:\n';

test('a user without sudo gets one line for su, with what the purpose needs and nothing else', () => {
  expect(ensure('check')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `${REFUSAL}  su - -c 'apt-get update && apt-get install -y --no-install-recommends shellcheck'\n`,
  });
});

test('a user whom sudo asks for a password gets the line for sudo', () => {
  program('sudo', 'exit 1');
  expect(ensure('check').stderr).toBe(
    `${REFUSAL}  sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends shellcheck'\n`,
  );
});

test('nothing is said once the tools are there', () => {
  program('shellcheck', 'exit');
  expect(ensure('check')).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test('a Python without ensurepip lacks python3-venv', () => {
  program('python3', 'exit 1');
  program('shellcheck', 'exit');
  expect(ensure('check').stderr).toContain('--no-install-recommends python3-venv');
});

test.each(['lab', 'test', 'athena', 'boot'])('%s does not ask for shellcheck', (purpose) => {
  const { status, stderr } = ensure(purpose);
  expect(status).toBe(1);
  expect(stderr.split('\n')).toHaveLength(3);
  expect(stderr).toMatch(/ iperf3 .*sockperf/);
  expect(stderr).not.toContain('shellcheck');
});

test('a kernel that forbids namespaces is set by the same line, which then has the tool for it', () => {
  writeFileSync(join(folder, 'settings'), 'kernel.unprivileged_userns_clone=1\n');
  expect(ensure('lab').stderr).toMatch(
    /^ {2}su - -c 'apt-get update && apt-get install [^&]* && (?:systemctl [^&]* && )?sysctl -w kernel\.unprivileged_userns_clone=1'$/m,
  );
  // The linters run without namespaces.
  expect(ensure('check').stderr).not.toContain('sysctl');
});

test('root is not told to change the kernel, and installs by itself', () => {
  writeFileSync(join(folder, 'settings'), 'kernel.unprivileged_userns_clone=1\n');
  program('id', 'echo 0');
  expect(ensure('check').stderr).toContain('setup: apt packages: shellcheck\napt-get must not be called\n');
});

test('a system without apt-get is refused with the way that it has', () => {
  rmSync(join(folder, 'apt-get'));
  expect(ensure('check')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^setup: needs Debian or Ubuntu, .* shellcheck\. .*\.devcontainer/) as string,
  });
});

test('Ubuntu, whose browsers are snaps, is told where else to get them, and takes either name of a browser', () => {
  const system = join(folder, 'os-release');
  writeFileSync(system, 'ID=ubuntu\n');
  const ensureBrowser = () =>
    spawnSync('bash', [SCRIPT, 'browser'], { env: { PATH: folder, OS_RELEASE: system }, encoding: 'utf8' });
  program('google-chrome', 'exit');
  expect(ensureBrowser()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^setup: Ubuntu's archive has no Chromium .*\.devcontainer.*\n$/) as string,
  });
  program('firefox', 'exit');
  expect(ensureBrowser().stderr).not.toMatch(/snaps|chromium|firefox/);
  rmSync(join(folder, 'google-chrome'));
  writeFileSync(system, 'ID=debian\n');
  expect(ensureBrowser().stderr).toMatch(/--no-install-recommends chromium /);
});

test.each([
  [['lab'], /^curl\n.*\niperf3\n.*\nutil-linux\n$/s],
  [['check'], /^git\npython3-venv\nshellcheck\n$/],
])('--list %s prints names only, and looks at nothing', (purpose, printed) => {
  const { status, stdout } = ensure('--list', ...purpose);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(printed) as string });
});

test('another purpose is refused', () => {
  expect(ensure('nosuch')).toMatchObject({
    status: 2,
    stderr: 'setup: purpose: must be lab, test, athena, boot, browser or check, got "nosuch"\n',
  });
});
