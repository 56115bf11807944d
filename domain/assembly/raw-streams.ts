/** The raw streams of a measurement's hosts, and what they show about a tool that did not finish. */
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import type { ToolOutput } from '../parsers/tool-output';
import { printable } from '../text/printable';

/** The lines of all chunks of one host, in order of their sequence, with the header of any of them. */
export interface RawStream {
  readonly header: ChunkHeader;
  readonly lines: readonly RawLine[];
}

export interface MeasurementStreams {
  readonly client?: RawStream;
  readonly server?: RawStream;
}

export function toolText(stream: RawStream): string {
  return stream.lines.flatMap((line) => ('line' in line ? [line.line] : [])).join('\n');
}

/** Unix time at which the first line of the tool was read that the predicate accepts. */
export function timeOfLine(stream: RawStream, accepts: (line: string) => boolean): number | undefined {
  return stream.lines.find((line) => 'line' in line && accepts(line.line))?.time;
}

/** A tool that failed in a way that no parser knows still printed something: its last line is the reason. */
export function reasonOf(output: ToolOutput, stream: RawStream): string {
  const lastWords = hasMeasured(output) ? undefined : (lastLine(stream, 'stderr') ?? lastLine(stream, 'stdout'));
  return output.errors.at(-1) ?? lastWords ?? output.incompleteReason ?? 'the tool did not finish';
}

function hasMeasured(output: ToolOutput): boolean {
  switch (output.kind) {
    case 'throughput':
      return output.intervals.length > 0;
    case 'latency':
      return output.observations !== undefined;
    case 'conditions':
      return output.pathMtuBytes !== undefined;
  }
}

const MAX_REASON_LENGTH = 400;

function lastLine(stream: RawStream, source: 'stdout' | 'stderr'): string | undefined {
  const last = stream.lines.findLast((line) => line.source === source && line.line.trim() !== '');
  return last !== undefined && 'line' in last ? printable(last.line.trim().slice(0, MAX_REASON_LENGTH)) : undefined;
}
