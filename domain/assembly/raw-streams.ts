/** The raw streams of a measurement's hosts, and what they show about a tool that did not finish. */
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import { isRate, MAX_LINE_LENGTH } from '../parsers/text-lines';
import type { ToolOutput } from '../parsers/tool-output';
import { grouped } from '../text/format';
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

/** The Unix time at which the first accepted line of the tool was read. */
export function timeOfLine(stream: RawStream, accepts: (line: string) => boolean): number | undefined {
  return stream.lines.find((line) => 'line' in line && accepts(line.line))?.time;
}

/**
 * The reason why a tool did not finish, taken from what it printed:
 *
 * | it printed                                            | the reason                                   |
 * | ----------------------------------------------------- | -------------------------------------------- |
 * | an error that its parser knows                        | the error                                    |
 * | figures                                               | which part of them is missing                |
 * | no figures, and words at the end of standard error    | those                                        |
 * | no figures, and bytes that are no text, or rates that | how many bytes it printed that are no output |
 * | can't be                                              | of it                                        |
 * | no figures, and words at the end of standard output   | those                                        |
 */
export function reasonOf(output: ToolOutput, stream: RawStream): string {
  return output.errors.at(-1) ?? lastWords(output, stream) ?? output.incompleteReason ?? 'the tool did not finish';
}

function lastWords(output: ToolOutput, stream: RawStream): string | undefined {
  if (hasMeasured(output)) return undefined;
  const [error, last] = [lastLine(stream, 'stderr'), lastLine(stream, 'stdout')];
  if (error !== undefined && isText(error)) return error;
  const printed = stream.lines.flatMap((line) => ('line' in line ? [line.line] : []));
  const unreadable = printed.filter((line) => !isText(line) || IMPOSSIBLE_RATE.test(line));
  if (unreadable.length === 0) return last;
  const count = unreadable.reduce((total, line) => total + printedBytes(line), 0);
  return `${output.tool} printed ${grouped(count)} bytes that are no output of it`;
}

/** The streamer's replacement for bytes that are not UTF-8, and control characters, which a terminal would obey. */
const NO_TEXT = /[\ufffd\p{Cc}]/u;
/** Counts the byte that ends the line. Each replacement character stands for one byte, but has three itself. */
function printedBytes(line: string): number {
  return new TextEncoder().encode(line.replaceAll('\ufffd', '?')).length + 1;
}

/** A rate of iperf3 or sockperf: in output without figures, its number was not a possible one. */
const IMPOSSIBLE_RATE = /\S [KMGTP]?(?:bits|Bytes)\/sec|BandWidth is \S/;

function isText(line: string): boolean {
  return !NO_TEXT.test(line.replace(/[\t\r]|\u001b\[[0-9;]*m/g, ''));
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

const RATE_IN_LINE = / (-?\d[^ ]{0,30}) ([KMGTP]?)(bits|Bytes)\/sec/;
const RATE_UNITS = ['', 'K', 'M', 'G', 'T', 'P'];

/** Names the lines that no parser accepts for their rate. A rate that is no number (`-nan`) is of an empty interval. */
export function brokenRates({ lines }: RawStream): string[] {
  const broken = lines.filter((line) => {
    const text = 'line' in line ? line.line.slice(0, MAX_LINE_LENGTH) : '';
    const [, digits, unit = '', base] = RATE_IN_LINE.exec(text) ?? [];
    const factor = (base === 'bits' ? 1 : 8) * 1000 ** RATE_UNITS.indexOf(unit);
    return digits !== undefined && Number.isFinite(Number(digits)) && !isRate(Number(digits) * factor);
  });
  if (broken.length === 0) return [];
  return [`${grouped(broken.length)} lines with a rate below 0 or above 10 Tbit/s are left out`];
}

const MAX_REASON_LENGTH = 400;

function lastLine(stream: RawStream, source: 'stdout' | 'stderr'): string | undefined {
  const last = stream.lines.findLast((line) => line.source === source && line.line.trim() !== '');
  return last !== undefined && 'line' in last ? printable(last.line.trim().slice(0, MAX_REASON_LENGTH)) : undefined;
}
