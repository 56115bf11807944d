/** Checks that every relative link in a document leads to an existing file, and every anchor to a heading in it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');
const FOLDERS = ['*.md', 'docs/**/*.md', 'test/**/*.md', 'examples/**/*.md', 'lab/**/*.md', 'research/**/*.md'];
// A checkout that was downloaded as an archive has no git, so the files are looked for. A test has packages of its own.
const documents = globSync(FOLDERS, { cwd: ROOT }).filter((file) => !file.split(path.sep).includes('node_modules'));

/** The anchors that renderers derive from headings: lower case, without punctuation, with hyphens for spaces. */
function anchors(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function brokenLinks(document: string, markdown: string): string[] {
  const targets = [...markdown.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => match[1]!);
  return targets.filter((target) => {
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? path.join(ROOT, document) : path.join(ROOT, path.dirname(document), file);
    if (!existsSync(linked)) return true;
    return anchor !== undefined && !anchors(readFileSync(linked, 'utf8')).has(anchor);
  });
}

test('the list of documents includes those that must exist', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/runbook.md']));
  expect(documents.filter((file) => file.includes('node_modules'))).toEqual([]);
});

test.each(documents)('%s has no broken link', (document) => {
  expect(brokenLinks(document, readFileSync(path.join(ROOT, document), 'utf8'))).toEqual([]);
});

test('a missing file and a missing anchor are found', () => {
  const markdown = '[a](docs/nowhere.md) [b](docs/runbook.md#nowhere) [c](docs/runbook.md#reaper-errors)';
  expect(brokenLinks('README.md', markdown)).toEqual(['docs/nowhere.md', 'docs/runbook.md#nowhere']);
});
