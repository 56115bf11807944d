/** What the system says of a file (`no such file or directory`), without Node's code and system call. */
import { getSystemErrorMap } from 'node:util';
import { errorMessage } from '../lambdas/shared/error-text';

export function fileError(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}
