/** The container for systems that lack what the commands need. No Docker is asked: what it would be told is checked. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const FOLDER = join(ROOT, '.devcontainer');
const read = (...parts: string[]) => readFileSync(join(...parts), 'utf8');

interface Devcontainer {
  build: { dockerfile: string; context: string };
  privileged: boolean;
  remoteUser: string;
  mounts: string[];
}

const settings = JSON.parse(read(FOLDER, 'devcontainer.json').replace(/^\s*\/\/.*$/gm, '')) as Devcontainer;
const dockerfile = read(FOLDER, settings.build.dockerfile);
const context = join(FOLDER, settings.build.context);

test('only properties that the specification of development containers has are set', () => {
  expect(Object.keys(settings).sort()).toEqual(
    ['$schema', 'build', 'init', 'mounts', 'name', 'privileged', 'remoteUser'].sort(),
  );
});

test('packages come from the one list, for the tests and for the linters', () => {
  expect(
    [...dockerfile.matchAll(/\/set-up\/scripts\/ensure-packages\.sh (\w+)/g)].map(([, purpose]) => purpose),
  ).toEqual(['test', 'check']);
  expect(dockerfile).not.toContain('apt-get');
});

test('the image has the files that the script of the packages needs, and its Node is that of .nvmrc', () => {
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
  const sourced = [...read(ROOT, 'scripts/ensure-packages.sh').matchAll(/^source (\S+)$/gm)].map(([, file]) => file);
  expect(copied.sort()).toEqual(['scripts/ensure-packages.sh', ...sourced].sort());
  expect(copied.filter((file) => !existsSync(join(context, file)))).toEqual([]);
  expect(/^FROM node:(\d+)-bookworm-slim$/m.exec(dockerfile)?.[1]).toBe(/^\d+/.exec(read(ROOT, '.nvmrc'))?.[0]);
});

test('the lab may make namespaces', () => {
  expect(settings).toMatchObject({ privileged: true, remoteUser: 'root' });
});

test('what belongs to one system is not shared with the other', () => {
  const targets = settings.mounts.map((mount) => /,target=\$\{containerWorkspaceFolder\}\/([^,]+),/.exec(mount)?.[1]);
  expect(targets).toEqual(['node_modules', '.cache', '.lab']);
});
