/** A file may hold the output of several runs of a tool, one behind the other: the last one that measured is the one meant. */
import type { LatencyOutput, ThroughputOutput } from './tool-output';

/** @param opens whether a line is a run's first; what stands above the first of these belongs to the first run */
export function splitRuns(lines: readonly string[], opens: (line: string) => boolean): string[][] {
  const runs: string[][] = [[]];
  let hasOpened = false;
  for (const line of lines) {
    if (opens(line)) {
      if (hasOpened) runs.push([]);
      hasOpened = true;
    }
    runs.at(-1)!.push(line);
  }
  return runs;
}

/** @param outputs of each run, at least one; that there were others is a warning */
export function lastMeasured<Output extends LatencyOutput | ThroughputOutput>(outputs: readonly Output[]): Output {
  const measured = outputs.findLast(hasMeasured) ?? outputs.at(-1)!;
  if (outputs.length === 1) return measured;
  const warning = `the file holds ${outputs.length} tests; the last one that measured something is analysed`;
  return { ...measured, warnings: [warning, ...measured.warnings] };
}

function hasMeasured(output: LatencyOutput | ThroughputOutput): boolean {
  return output.kind === 'latency' ? output.observations !== undefined : output.summaries.length > 0;
}
