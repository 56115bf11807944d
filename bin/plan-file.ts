/** Reads a plan from a file that a user has named; if that fails, returns a sentence for the user. */
import { readFileSync } from 'node:fs';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { fileError, isOfFolder } from './command-line';

/** @returns the JSON in the file, whether or not it is a valid plan, or the reason why it can't be read */
export function readPlanFile(file: string): { readonly submitted: unknown } | { readonly reason: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (isOfFolder(thrown)) return { reason: `${file}: must be the file of a plan, got a folder: name a file in it` };
    return { reason: `${file}: must be the file of a plan: ${fileError(thrown)}` };
  }
  try {
    return { submitted: JSON.parse(text) as unknown };
  } catch (thrown) {
    return { reason: `${file}: must be a plan as JSON: ${jsonError(errorMessage(thrown), text)}` };
  }
}

/** How many characters V8 quotes before an unexpected one. */
const QUOTED_BEFORE = 10;

/** V8 gives line and column of every error except an unexpected character, for which it quotes the text around it. */
function jsonError(message: string, text: string): string {
  const [, character = '', ellipsis, quoted = ''] =
    /^Unexpected token '(.)', (\.{3})?"(.*)"(?:\.{3})? is not/s.exec(message) ?? [];
  const position =
    ellipsis === undefined ? quoted.lastIndexOf(character, QUOTED_BEFORE) : text.indexOf(quoted) + QUOTED_BEFORE;
  const codePoint = text.codePointAt(position);
  if (codePoint === undefined || character === '' || !text.startsWith(character, position)) return message;
  const lines = text.slice(0, position).split('\n');
  return `unexpected ${JSON.stringify(String.fromCodePoint(codePoint))} (line ${lines.length} column ${(lines.at(-1) ?? '').length + 1})`;
}
