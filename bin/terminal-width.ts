/** How wide a table may be. */

const USUAL_WIDTH = 80;

/**
 * What `COLUMNS` says, or else the terminal.
 * @returns undefined where the output goes to a file or another program: tables then have all columns
 */
export function terminalWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
  { COLUMNS }: Readonly<Record<string, string | undefined>> = process.env,
): number | undefined {
  const asked = Number(COLUMNS ?? '');
  if (Number.isInteger(asked) && asked > 0) return asked;
  if (!isTTY) return undefined;
  return columns > 0 ? columns : USUAL_WIDTH;
}
