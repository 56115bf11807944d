/**
 * Recognises the forms of tools' output in a text. A tool's name alone is not evidence, because a table, a page or a
 * configuration may mention it. Each form is therefore recognised by a line that only the tool prints, matched from its
 * beginning.
 */
import { MAX_LINE_LENGTH, plainLine } from '../parsers/text-lines';
import type { ToolOutput } from '../parsers/tool-output';

export interface OutputForm {
  /** The name in messages, such as `iperf3 -J`. */
  readonly name: string;
  readonly line: RegExp;
  /** Whether its lines are JSON, which may be of any length. @default false */
  readonly isJson?: boolean;
  /** Absent if such output can't be parsed, and can't be skipped in a text either. */
  readonly parse?: (text: string) => ToolOutput;
  /** What a user can do instead, if the output can't be parsed. */
  readonly advice?: string;
}

/** A line may be preceded by a time, a title or a host name, but not by other cells of a table. */
export const PREFIX = String.raw`^[^\n",;<]{0,60}`;
export const END_OF_LINE = String.raw`[ \t\r\0]*$`;

export function anyLine(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'm');
}

export interface FoundForm {
  readonly form: OutputForm;
  /** The line number of the form's first line. */
  readonly line: number;
}

/** @returns the forms in the text, in the order of `forms` */
export function formsIn(text: string, forms: readonly OutputForm[]): FoundForm[] {
  // Lines that are too long are made empty, so that each line keeps its number.
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
