/**
 * `plan`, `analyse` and `cdk deploy` run on macOS, whose bash is of 2006 (3.2) and whose tools know no options of GNU.
 * No Mac runs these tests, so they read the scripts for what bash 3.2 lacks, and run them with the few tools that both
 * systems have.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const SCRIPTS = join(ROOT, 'scripts');

/** What came after bash 3.2, as it stands in a script, and a line that has it. */
const NEWER_THAN_BASH_3: readonly (readonly [RegExp, string])[] = [
  [/\b(?:mapfile|readarray)\b/, 'mapfile -t lines < file'],
  [/\b(?:declare|local|typeset) -[a-z]*[Agn]/, 'local -n list=$1'],
  [/\$\{[^}]+(?:,,?|\^\^?)\}/, 'echo "${name,,}"'],
  [/\$\{[^}]+@[QEPAaUuLKk]\}/, 'echo "${name@Q}"'],
  [/\$\{\w+\[-\d+\]\}/, 'echo "${list[-1]}"'],
  [/\$\{\w+:[^}:]+: ?-\d+\}/, 'echo "${name:1:-1}"'],
  [/\|&|&>>|;;&|;&/, 'make |& less'],
  [/\bcoproc\b/, 'coproc cat'],
  [/\[\[? -[vR] /, '[[ -v name ]]'],
  [/\bwait -[np]\b/, 'wait -n'],
  [/%\([^)]*\)T/, "printf '%(%F)T'"],
  [/\b(?:BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM)\b/, 'echo $EPOCHSECONDS'],
  [/\{[a-z_]\w*\}[<>]/, 'exec {lock}>file'],
  [/\bshopt -s (?:globstar|inherit_errexit|lastpipe)\b/, 'shopt -s globstar'],
  [/\bread (?:-\w+ )*-[iN]\b/, 'read -N 1 key'],
  [/\{0\d+\.\.\d+\}/, 'echo {01..10}'],
];

/** Options that only GNU's tools have, and a line that has one. */
const GNU_ONLY: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:touch|sed|mktemp|date|rm|mv|cp|ln|mkdir|sort|head|tail|grep|stat|readlink) [^|;&\n]*--[a-z]/,
    'touch --date=now file',
  ],
  [/\bsed (?:-\w+ )*-(?:i|E?r)\b/, 'sed -i s/a/b/ file'],
  [/\bdate [^|;&\n]*(?:-d\b|%N)/, 'date +%s.%N'],
  [/\b(?:sha256sum|nproc|realpath|timeout|setsid|tac|readlink -f)\b/, 'sha256sum file'],
  [/\bstat -c\b/, 'stat -c %s file'],
  [/\bmktemp -(?:p|t|u)\b/, 'mktemp -p folder'],
];

const withoutComments = (script: string) => script.replace(/^\s*#.*$/gm, '');

const found = (rules: typeof GNU_ONLY, script: string) =>
  rules.flatMap(([pattern]) => pattern.exec(withoutComments(script))?.[0] ?? []);

/** The script with every script that it names, and so on. */
function closure(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const text = withoutComments(readFileSync(join(SCRIPTS, name), 'utf8'));
  for (const [other] of text.matchAll(/[\w-]+\.sh\b/g)) closure(other, known);
  return known;
}

const PORTABLE = [
  ...new Set(['plan.sh', 'analyse.sh', '../browser/report/build.sh'].flatMap((name) => [...closure(name)])),
];

test('the scripts behind plan, analyse and deployments are all looked at', () => {
  expect(PORTABLE.sort()).toEqual(
    [
      '../browser/report/build.sh',
      'analyse.sh',
      'ensure-node-modules.sh',
      'plan.sh',
      'run-bundle.sh',
      'use-node.sh',
      'waiting.sh',
    ].sort(),
  );
});

test.each([...NEWER_THAN_BASH_3, ...GNU_ONLY])('%s finds: %s', (pattern, line) => {
  expect(found([[pattern, line]], line)).toHaveLength(1);
  expect(found([[pattern, line]], `# ${line}`)).toEqual([]);
});

test.each(PORTABLE)('%s keeps to bash 3.2', (name) => {
  expect(found(NEWER_THAN_BASH_3, readFileSync(join(SCRIPTS, name), 'utf8'))).toEqual([]);
});

test.each(PORTABLE)('%s uses no option of GNU alone', (name) => {
  expect(found(GNU_ONLY, readFileSync(join(SCRIPTS, name), 'utf8'))).toEqual([]);
});

describe('on a PATH with what macOS has, too', () => {
  const TOOLS = ['bash', 'cat', 'dirname', 'mkdir', 'mktemp', 'mv', 'perl', 'rm', 'sed', 'touch', 'uname'];
  let folder: string;
  let bin: string;

  function program(name: string, script: string): void {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mac ö '));
    bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const tool of TOOLS) {
      const at = spawnSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
      symlinkSync(at, join(bin, tool));
    }
    symlinkSync(process.execPath, join(bin, 'node'));
    program('sleep', 'exec perl -e "select(undef, undef, undef, 0.05)"');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    ['plan.sh', 'examples/plans/canary.json', /^total +\d/m],
    ['analyse.sh', 'test/fixtures/tool-output/iperf3/3.12/text-timestamps.out', /mean/],
  ])('%s reads a file', (script, file, printed) => {
    const { status, stdout, stderr } = spawnSync('bash', [join(SCRIPTS, script), join(ROOT, file)], {
      env: { PATH: bin },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(printed);
  });

  /** A checkout that has only what the installation of packages reads. Its npm takes a while and says that it was called. */
  function checkout(): string {
    const root = join(folder, 'check out');
    mkdirSync(join(root, 'scripts'), { recursive: true });
    for (const name of ['ensure-node-modules.sh', 'waiting.sh']) {
      writeFileSync(join(root, 'scripts', name), readFileSync(join(SCRIPTS, name)));
    }
    writeFileSync(join(root, 'package-lock.json'), '{}');
    program(
      'npm',
      'echo "npm $1" >>calls; perl -e "sleep 2"; mkdir -p node_modules; touch node_modules/.package-lock.json',
    );
    return root;
  }

  const install = (root: string) =>
    new Promise<{ status: number | null; stderr: string }>((resolve) => {
      const child = spawn('bash', [join(root, 'scripts/ensure-node-modules.sh')], { env: { PATH: bin } });
      let stderr = '';
      child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
      child.on('close', (status) => {
        resolve({ status, stderr });
      });
    });

  test('two installations at once are one; both say every few seconds what goes on', async () => {
    const root = checkout();
    const both = await Promise.all([install(root), install(root)]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('npm ci\n');
    const [installing, waiting] = both.map(({ stderr }) => stderr).sort();
    expect(installing).toMatch(/^setup: npm packages\n(setup: npm packages: \d+ s so far\n)+$/);
    expect(waiting).toMatch(
      /^setup: waiting for another command that is installing something (.*)\n(setup: .* s so far\n)+$/,
    );
    // Nothing is left but the lock.
    expect(readdirSync(join(root, '.cache'))).toEqual(['npm.lock']);
    expect(await install(root)).toEqual({ status: 0, stderr: '' });
  });

  test('an installation that fails ends with its exit code and is repeated', async () => {
    const root = checkout();
    program('npm', 'exit 7');
    expect((await install(root)).status).toBe(7);
    expect((await install(root)).status).toBe(7);
  });
});
