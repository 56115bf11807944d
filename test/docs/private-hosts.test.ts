/** The document on private hosts lists the packages of everything that a host needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostPrograms } from '../../domain/tools/commands';

const textOf = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

/** What every image has, as essential packages of Debian. */
const ESSENTIAL = ['coreutils', 'util-linux'];

/** The packages in an array of a script, whose items are `program=package`. */
function packagesOf(script: string): string[] {
  const [, items] = /^readonly OWN_PROGRAMS=\(([^)]*)\)$/m.exec(textOf(script)) ?? [];
  if (items === undefined) throw new Error(`${script}: must have the array OWN_PROGRAMS`);
  return items
    .trim()
    .split(/\s+/)
    .map((program) => program.slice(program.indexOf('=') + 1));
}

const needed = [
  ...packagesOf('lib/test-hosts/user-data.sh'),
  ...packagesOf('ssm-documents/prepare-host/run.sh'),
  ...hostPrograms().map(({ debianPackage }) => debianPackage),
  'python3-boto3',
];
const wanted = [...new Set(needed)].filter((name) => !ESSENTIAL.includes(name)).sort();

test.each([
  ['the list has', /<!-- packages: [^>]*-->\n\n```\n([^\n]*)\n```/],
  ['the commands that make an image install', /^apt-get install -y --no-install-recommends ([^\n]*)$/m],
])('%s exactly the packages that user data and prepare-host look for', (_, pattern) => {
  expect(wanted.length).toBeGreaterThan(8);
  expect(pattern.exec(textOf('docs/private-hosts.md'))?.[1]?.split(' ')).toEqual(wanted);
});
