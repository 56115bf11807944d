/** Every relative link in a document leads to a file that exists, and every anchor to a heading of it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

/** As the usual renderers make them: lower case, punctuation gone, spaces to hyphens. */
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

test('there are documents to check', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/runbook.md']));
});

test.each(documents)('%s: links lead somewhere', (document) => {
  expect(brokenLinks(document, readFileSync(path.join(ROOT, document), 'utf8'))).toEqual([]);
});

test('a broken file and a broken anchor are seen', () => {
  const markdown = '[a](docs/nowhere.md) [b](docs/runbook.md#nowhere) [c](docs/runbook.md#reaper-errors)';
  expect(brokenLinks('README.md', markdown)).toEqual(['docs/nowhere.md', 'docs/runbook.md#nowhere']);
});
