/**
 * Draws sentences that the project says to people, for a reader who has not seen the code to judge each at one reading.
 *   npm run draw:sentences -- --seed 1 [--count 30]
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import ts from 'typescript';

const DOCUMENTS = ['README.md', 'docs/*.md'];
const PROGRAMS = ['{bin,browser,lambdas/publish-run,domain/{answer,forecast,plan,report,terminal,verdict}}/**/*.ts'];
const THREE_WORDS = /[A-Za-z]{2,}[,;:]? [a-z]{2,}[,;:]? [a-z]{2,}/;
const END_OF_SENTENCE = /(?<=[.!?:][)*_`]*)\s+(?=[A-Z`*_[])/;

function sentencesOfDocument(text: string): string[] {
  const blocks = text.replace(/^```[^]*?^```|<!--[^]*?-->/gm, '').split(/\n\s*\n|\n(?=\s*(?:[-|#]|\d+\. ))/);
  const lines = blocks.map((block) => block.replace(/\s+/g, ' ').trim());
  // A row of a table is understood as a whole: a cell alone lacks its subject.
  return lines.flatMap((line) => (line.startsWith('|') ? [line] : line.split(END_OF_SENTENCE)));
}

/** Literals that `+` joins are one text. */
function wordsOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.getText().slice(1, -1);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return [node.left, node.right].map((side) => wordsOf(side) ?? `\${${side.getText()}}`).join('');
}

function textsOfProgram(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const words = wordsOf(node);
    if (words !== undefined && !found.some((whole) => whole.includes(words))) found.push(words);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

const textsOfPython = (text: string) =>
  (text.replace(/"""[^]*?"""/g, '').match(/(?:f?"(?:[^"\\\n]|\\.)*"\s*)+/g) ?? []).map((literals) =>
    literals.trim().replace(/"\s*f?"/g, ''),
  );
const commentsOfSql = (text: string) =>
  (text.match(/(?:^ *--.*\n)+/gm) ?? []).flatMap((lines) => lines.replace(/\s*-- ?/g, ' ').split(END_OF_SENTENCE));

const textsIn = (patterns: string[], textsOf: (text: string) => string[]) =>
  globSync(patterns).flatMap((file) => textsOf(readFileSync(file, 'utf8')).map((text) => `${file}: ${text.trim()}`));

const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string', default: '30' } } });
const rank = (text: string) => createHash('sha256').update(`${values.seed} ${text}`).digest('hex');
/** Whether a text has words of its own, besides its placeholders and tags. */
const isSentence = (text: string) =>
  THREE_WORDS.test(text.replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|<[^<>]*>/g, ' ')) && !text.includes('style.ts');
const documents = textsIn(DOCUMENTS, sentencesOfDocument);
const programs = [...textsIn(PROGRAMS, textsOfProgram), ...textsIn(['lab/runner/*.py'], textsOfPython)];
const all = [...documents, ...programs, ...textsIn(['{queries,views}/*.sql'], commentsOfSql)].filter(isSentence);
const drawn = all.sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, Number(values.count));
console.log(
  `${all.length} sentences, seed ${values.seed}\n\n${drawn.map((text, i) => `${i + 1}. ${text}`).join('\n')}`,
);
