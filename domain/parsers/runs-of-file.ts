/**
 * A file may hold the output of several runs of a tool, one after the other. The last one that measured is analysed.
 */

/** @param opens whether a line is the first of a run; lines above the first such line belong to the first run */
export function splitRuns(lines: readonly string[], opens: (line: string) => boolean): string[][] {
  const starts = lines.flatMap((line, index) => (opens(line) ? [index] : [])).slice(1);
  return [0, ...starts].map((start, run) => lines.slice(start, starts[run]));
}

export interface ChosenRun<Run> {
  readonly run: Run;
  /** Says that there were others. */
  readonly warnings: readonly string[];
}

/** @returns the last run that measured something, else the last one; undefined without any */
export function chooseRun<Run>(runs: readonly Run[], hasMeasured: (run: Run) => boolean): ChosenRun<Run> | undefined {
  const run = runs.findLast(hasMeasured) ?? runs.at(-1);
  if (run === undefined) return undefined;
  const warnings =
    runs.length === 1 ? [] : [`the file holds ${runs.length} tests; the last one that measured something is analysed`];
  return { run, warnings };
}
