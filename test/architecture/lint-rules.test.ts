/** The lint rules of our own, each shown catching the offence that it is there for. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** ESLint and its configuration are ES modules, which Jest does not load. Types are not needed, and take seconds. */
const LINTER = `
import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';

const { ruleId, texts } = JSON.parse(readFileSync(0, 'utf8'));
const eslint = new ESLint({
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: (rule) => rule.ruleId === ruleId,
});
const offences = {};
for (const [filePath, text] of Object.entries(texts)) {
  const [{ messages }] = await eslint.lintText(text, { filePath });
  offences[filePath] = messages.map((found) => [found.ruleId, text.split('\\n')[found.line - 1]]);
}
console.log(JSON.stringify(offences));
`;

/** The lines of each text that break the rule. */
function offences(ruleId: string, texts: Readonly<Record<string, string>>): Readonly<Record<string, string[]>> {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', LINTER], {
    cwd: ROOT,
    input: JSON.stringify({ ruleId, texts }),
    encoding: 'utf8',
  });
  const found = JSON.parse(output) as Record<string, [ruleId: string | null, line: string][]>;
  return Object.fromEntries(
    Object.entries(found).map(([path, messages]) => [
      path,
      messages.map(([id, line]) => (id === ruleId ? line : `not linted: ${line}`)),
    ]),
  );
}

describe('no call takes an argument list of unbounded length', () => {
  const FORBIDDEN = [
    'Math.max(...values);',
    'Math.min(0, ...values);',
    'items.push(...values);',
    'items?.unshift(...values);',
    '[].concat(...lists);',
    'String.fromCharCode(...values);',
    'anything(...values);',
    'new Anything(...values);',
    'Math.max.apply(null, values);',
    'Reflect.apply(Math.max, null, values);',
  ];
  const ALLOWED = [
    'Math.max(1, 2);',
    'items.push(values);',
    'largest([0, ...values]);',
    'new Set([...values]);',
    'const longer = [...values, 1];',
    'const copy = { ...values };',
    'const counted = (...all) => all.length;',
  ];
  const CODE = [...FORBIDDEN, ...ALLOWED].join('\n');

  test('in the product and its scripts; a test may use its own short lists', () => {
    const texts = ['bin', 'domain/text', 'lambdas/shared', 'lib', 'research', 'scripts', 'test/domain'].map(
      (folder) => [`${folder}/not-a-file.ts`, CODE] as const,
    );
    expect(offences('no-restricted-syntax', Object.fromEntries([...texts, ['scripts/not-a-file.mjs', CODE]]))).toEqual({
      'bin/not-a-file.ts': FORBIDDEN,
      'domain/text/not-a-file.ts': FORBIDDEN,
      'lambdas/shared/not-a-file.ts': FORBIDDEN,
      'lib/not-a-file.ts': FORBIDDEN,
      'research/not-a-file.ts': FORBIDDEN,
      'scripts/not-a-file.ts': FORBIDDEN,
      'scripts/not-a-file.mjs': FORBIDDEN,
      'test/domain/not-a-file.ts': [],
    });
  });
});

test('handlers compare no name of an error that no test compares with AWS', () => {
  const FORBIDDEN = [
    "if (error.name === 'InvalidGroup.NotFuond') retry();",
    'if (names.has(errorCode(error))) retry();',
    "if (sdkError.Code !== 'Unsupported') throw sdkError;",
  ];
  const ALLOWED = ['if (isNamed(error, NO_ROOM)) retry();', 'if (pair.name === other.name) retry();'];
  const code = [...FORBIDDEN, ...ALLOWED].join('\n');
  const paths = ['lambdas/adapters/not-a-file.ts', 'lambdas/plan-run/not-a-file.ts', 'lambdas/shared/not-a-file.ts'];
  expect(offences('no-restricted-syntax', Object.fromEntries(paths.map((path) => [path, code])))).toEqual(
    Object.fromEntries(paths.map((path) => [path, FORBIDDEN])),
  );
});
