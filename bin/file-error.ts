/** What the system says of a file. */
import { getSystemErrorMap } from 'node:util';
import { errorMessage } from '../lambdas/errors/aws-errors';

/** Whether a folder was named where a file must be. */
export function isOfFolder(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR';
}

/** `no such file or directory`: the system's words without Node's code and system call. */
export function fileError(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}
