/** The files that scripts write, and the parts of documents that are between a script's two marks. */
import { writeFileSync } from 'node:fs';

/** Splits a document into what comes before a part, the part itself, and what comes after it. */
function split(document: string, name: string) {
  const mark = `<!-- ${name}: written by a script, do not edit -->`;
  const endMark = `<!-- end of ${name} -->`;
  const [before, rest] = document.split(mark);
  const [part, after] = rest?.split(endMark) ?? [];
  if (before === undefined || part === undefined || after === undefined) {
    throw new Error(`document: must hold ${mark} and its end`);
  }
  return { head: `${before}${mark}`, part: part.trim(), tail: `${endMark}${after}` };
}

/** @throws Error where the document has no such part */
export function partOf(document: string, name: string): string {
  return split(document, name).part;
}

/** @returns the document with another text between the two marks */
export function withPart(document: string, name: string, text: string): string {
  const { head, tail } = split(document, name);
  return `${head}\n\n${text}\n\n${tail}`;
}

/** Writes a file as the formatter leaves it, and prints its path. */
export async function writeFormatted(path: string, text: string, parser: 'markdown' | 'json'): Promise<void> {
  // Imported here because the tests read documents too, and Jest cannot load it.
  const { format } = await import('prettier');
  writeFileSync(path, await format(text, { parser, printWidth: 120 }));
  console.log(path);
}
