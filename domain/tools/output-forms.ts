/**
 * The forms of tools' output that a text holds. Mentioning a tool is no evidence: a table, a page or a configuration may
 * have its name, so each form is recognised by a line that only the tool prints, from its beginning on.
 */
import { MAX_LINE_LENGTH, plainLine } from '../parsers/text-lines';
import type { ToolOutput } from '../parsers/tool-output';

export interface OutputForm {
  /** In messages, such as `iperf3 -J`. */
  readonly name: string;
  readonly line: RegExp;
  /** Whether its lines are JSON, which may be of any length. @default false */
  readonly isJson?: boolean;
  /** Absent where such output is not read, and can't be left out of a text either. */
  readonly parse?: (text: string) => ToolOutput;
  /** What the user of an output that is not read can do instead. */
  readonly advice?: string;
}

/** A time, a title or the name of a host may precede a line, but not the other cells of a table. */
export const PREFIX = String.raw`^[^\n",;<]{0,60}`;
export const END_OF_LINE = String.raw`[ \t\r\0]*$`;

export function anyLine(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'm');
}

export interface FoundForm {
  readonly form: OutputForm;
  /** The number of its first line. */
  readonly line: number;
}

/** @returns the forms that the text holds, in the order in which they are given */
export function formsIn(text: string, forms: readonly OutputForm[]): FoundForm[] {
  // The longer lines are empty, so that each line keeps its number.
  const lines = text.split('\n').map(plainLine);
  const shortLines = lines.map((line) => (line.length <= MAX_LINE_LENGTH ? line : '')).join('\n');
  return forms.flatMap((form) => {
    const searched = form.isJson === true ? text : shortLines;
    const match = form.line.exec(searched);
    return match === null ? [] : [{ form, line: lineNumberAt(searched, match.index) }];
  });
}

function lineNumberAt(text: string, index: number): number {
  let number = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', end + 1)) number += 1;
  return number;
}
