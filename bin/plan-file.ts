/** Reads a plan from a file that someone has named, who gets a sentence where it is none. */
import { readFileSync } from 'node:fs';
import { fileError } from './file-error';

/** @returns what the file has, valid or not, or the reason why it can't be read */
export function readPlanFile(file: string): { readonly submitted: unknown } | { readonly reason: string } {
  try {
    return { submitted: JSON.parse(readFileSync(file, 'utf8')) as unknown };
  } catch (thrown) {
    return { reason: `${file}: must be a plan as JSON: ${fileError(thrown)}` };
  }
}
