/** A file may hold the output of several runs of a tool. The last one that measured is analysed. */

/** @returns the last run that measured something, else the last one, and a warning when there were others */
export function chooseRun<Run>(runs: readonly Run[], hasMeasured: (run: Run) => boolean) {
  const warnings =
    runs.length > 1 ? [`the file holds ${runs.length} tests; the last one that measured something is analysed`] : [];
  return { run: runs.findLast(hasMeasured) ?? runs.at(-1), warnings };
}

/**
 * Parses the run of a text that is analysed.
 *
 * @param opens whether a line is the first of a run; lines above the first such line belong to the first run
 */
export function lastRun<Output extends { readonly warnings: readonly string[] }>(
  lines: readonly string[],
  opens: (line: string) => boolean,
  parse: (lines: readonly string[]) => Output,
  hasMeasured: (output: Output) => boolean,
): Output {
  const starts = lines.flatMap((line, index) => (opens(line) ? [index] : [])).slice(1);
  const outputs = [0, ...starts].map((start, run) => parse(lines.slice(start, starts[run])));
  const { run = parse([]), warnings } = chooseRun(outputs, hasMeasured);
  return { ...run, warnings: [...warnings, ...run.warnings] };
}
