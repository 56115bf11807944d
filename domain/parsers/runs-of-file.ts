/** A file may hold several runs of a tool, of which the last one that measured something is analysed. */

/** @returns the last run that measured something, or else the last one, with a warning if there are others */
export function chooseRun<Run>(runs: readonly Run[], hasMeasured: (run: Run) => boolean) {
  return { run: runs.findLast(hasMeasured) ?? runs.at(-1), warnings: warningsOf(runs.length) };
}

function warningsOf(runCount: number): string[] {
  return runCount > 1 ? [`the file holds ${runCount} tests; the last one that measured something is analysed`] : [];
}

/** Parses the run that is analysed. `opens` tells the first line of a run; earlier lines belong to the first run. */
export function lastRun<Output extends { readonly warnings: readonly string[] }>(
  lines: readonly string[],
  opens: (line: string) => boolean,
  parse: (lines: readonly string[]) => Output,
  hasMeasured: (output: Output) => boolean,
): Output {
  const openings = lines.flatMap((line, index) => (opens(line) ? [index] : []));
  const starts = [0, ...openings.slice(1)];
  const runAt = (run: number) => parse(lines.slice(starts[run], starts[run + 1]));
  const last = runAt(starts.length - 1);
  let chosen = last;
  // Parses one run at a time from the end, because the outputs of all runs of a long file would fill the memory.
  for (let run = starts.length - 2; run >= 0 && !hasMeasured(chosen); run -= 1) chosen = runAt(run);
  if (!hasMeasured(chosen)) chosen = last;
  return { ...chosen, warnings: [...warningsOf(starts.length), ...chosen.warnings] };
}
