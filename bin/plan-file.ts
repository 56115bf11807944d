/** Reads a plan from a file that someone has named, who gets a sentence where it is none. */
import { readFileSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import { errorMessage } from '../lambdas/shared/error-text';

/** @returns what the file has, valid or not, or the reason why it can't be read */
export function readPlanFile(file: string): { readonly submitted: unknown } | { readonly reason: string } {
  try {
    return { submitted: JSON.parse(readFileSync(file, 'utf8')) as unknown };
  } catch (thrown) {
    return { reason: `${file}: must be a plan as JSON: ${reasonOf(thrown)}` };
  }
}

/** What the system says of a file (`no such file or directory`), without Node's code and system call. */
function reasonOf(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}
