/** Lines of a text, without what terminals and other systems add. */

/** Longer lines are no tool's; refused, so that a hostile file costs nothing. */
export const MAX_LINE_LENGTH = 2000;

/** Colour codes and the carriage return of files that came through another system. */
export function plainLine(line: string): string {
  return line.replace(/\u001b\[[0-9;]*m/g, '').replace(/[\r\u0000]+$/, '');
}

export function plainLines(text: string): string[] {
  return text
    .split('\n')
    .map(plainLine)
    .filter((line) => line.length <= MAX_LINE_LENGTH);
}
