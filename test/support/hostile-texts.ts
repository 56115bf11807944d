/**
 * Texts that are as expensive to read as anybody can make them. They are derived from the regular expressions in the
 * code that reads them, so a new parser is attacked without a change here: what a pattern begins to match, again and
 * again, without ever matching as a whole; and the longest run of what each of its quantifiers takes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import ts from 'typescript';

export interface HostileText {
  readonly name: string;
  /** @returns a text of about so many characters, in lines of at most so many */
  readonly make: (characters: number, lineCharacters: number) => string;
}

/** Repeated alone, beside the patterns' own: what terminals, encodings and crashes leave in files, and brackets. */
const CHARACTERS = [
  ...[' ', '0', '1', '.', ',', ':', '-', '=', '%', '/', '#', 'a', '"', "'", '\\', '\t', '\r', '\u0000', '\u001b'],
  ...['\u0085', '\u009b', '\u00a0', '\u2028', '\u3000', '\ud800', '\ufeff', '[', ']', '{', '}', '(', ')'],
];
const WORDS = [
  '\u001b[',
  '\u001b[0',
  '{}',
  '[]',
  '{"a":',
  '{"event"',
  '[{',
  '":{',
  '\\"',
  '1 ',
  '1.1 ',
  '1 1.0- ',
  '\r\u0000',
];

/** @param sources the files and folders whose patterns the texts attack */
export function hostileTexts(sources: readonly string[]): HostileText[] {
  const repeated = [...CHARACTERS, ...WORDS].map((unit) => repetition(JSON.stringify(unit), unit));
  return [...repeated, ...sources.flatMap(patternsIn).flatMap(attacksOn), ...NESTED];
}

/** Half of the text opens, and the other half goes on within. */
const NESTED: readonly HostileText[] = [
  ['[', '{}'],
  ['{"a":', '[],'],
].map(([open = '', within = '']) => ({
  name: `${open} around ${within}`,
  make: (characters) => `{"start":${filled(open, characters / 2)}${filled(within, characters / 2)}`,
}));

const repetition = (name: string, unit: string, end = ''): HostileText => ({
  name: `${name} again and again`,
  make: (characters, lineCharacters) => inLines(filled(unit, lineCharacters - end.length) + end, characters),
});

function attacksOn(pattern: RegExp): HostileText[] {
  const { alternatives } = new RegExpParser().parsePattern(pattern.source);
  return alternatives.flatMap(({ elements }) => {
    const steps = elements.flatMap(stepsOf);
    return steps.flatMap(({ text, isRepeated }, index) => {
      if (!isRepeated && index < steps.length - 1) return [];
      const before = steps
        .slice(0, index)
        .map((step) => step.text)
        .join('');
      const name = `${String(pattern)}: ${JSON.stringify(before + text)}`;
      return [
        repetition(name, before + text),
        { name: `${name} on a line`, make: (characters: number) => filled(`${before}${text}\n`, characters) },
        { name: `${name} numbered`, make: (characters: number) => numbered(`${before}${text}\n`, characters) },
        {
          name: `${name} with a long end`,
          make: (characters: number, lineCharacters: number) =>
            inLines(`${before}${filled(text, lineCharacters - before.length - 1)}!`, characters),
        },
      ];
    });
  });
}

interface Step {
  readonly text: string;
  readonly isRepeated: boolean;
}

/** The shortest text that a part of a pattern takes at least once, quantifier by quantifier. */
function stepsOf(element: AST.Element): Step[] {
  switch (element.type) {
    case 'Quantifier': {
      const inner = stepsOf(element.element)
        .map(({ text }) => text)
        .join('');
      return [{ text: inner.repeat(Math.max(element.min, 1)), isRepeated: element.max > 1 }];
    }
    case 'Group':
    case 'CapturingGroup':
      return (element.alternatives[0]?.elements ?? []).flatMap(stepsOf);
    case 'Character':
      return [{ text: String.fromCodePoint(element.value), isRepeated: false }];
    case 'CharacterSet':
    case 'CharacterClass':
      return [{ text: memberOf(new RegExp(`^${element.raw}$`, 'u')), isRepeated: false }];
    case 'Assertion':
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return [];
  }
}

function memberOf(characters: RegExp): string {
  return [...'x1 .=-:\r\u0000'].find((character) => characters.test(character)) ?? '';
}

const filled = (unit: string, characters: number) =>
  unit.repeat(Math.ceil(Math.max(characters, 0) / unit.length)).slice(0, Math.max(characters, 0));

const inLines = (line: string, characters: number) => filled(`${line}\n`, characters);

/** Each line has numbers of its own, so that nothing in it is like the line before. */
function numbered(line: string, characters: number): string {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.at(-1)?.length ?? characters) {
    lines.push(line.replace(/\d/g, String(lines.length)));
  }
  return lines.join('');
}

function patternsIn(source: string): RegExp[] {
  const files = source.endsWith('.ts')
    ? [source]
    : (readdirSync(source, { recursive: true }) as string[]).map((name) => join(source, name));
  const literals = files.filter((file) => file.endsWith('.ts')).flatMap(literalsIn);
  return [...new Set(literals)].map((literal) => {
    const end = literal.lastIndexOf('/');
    return new RegExp(literal.slice(1, end), literal.slice(end + 1));
  });
}

function literalsIn(file: string): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest));
  return literals;
}
