/** iperf3's series as far as some of its lines show it: a chunk may begin and end anywhere in the output. */
import type { DrivenDirection } from '../model/settings';
import type { ChunkHeader, RawLine, ToolLine } from '../model/raw-chunk';
import { contextOfCommand } from '../parsers/iperf3/command';
import { intervalOf, looksLikeSender } from '../parsers/iperf3/text';
import { parseRateLine, type RateLine } from '../parsers/iperf3/text-line';
import { plainLine } from '../parsers/text-lines';
import type { ToolInterval } from '../parsers/tool-output';
import { orderedIntervals } from '../parsers/tool-series';
import type { PrintedSeries } from './tool-module';

interface StampedLine {
  readonly time: number;
  readonly line: RateLine;
}

export function iperf3Series(header: ChunkHeader, lines: readonly RawLine[]): PrintedSeries {
  const stamped = intervalLines(lines);
  const intervals = intervalsOf(
    header,
    stamped.map(({ line }) => line),
  );
  return { intervals, originSeconds: originOf(stamped) };
}

/** Time at which the time axis of a whole stream begins. */
export function streamOriginSeconds(lines: readonly RawLine[]): number | undefined {
  return originOf(intervalLines(lines));
}

function intervalLines(lines: readonly RawLine[]): StampedLine[] {
  return lines
    .filter((line): line is ToolLine => line.source === 'stdout')
    .flatMap(({ time, line: text }) => {
      const line = parseRateLine(plainLine(text));
      return line === undefined || line.side !== undefined || line.isOmitted ? [] : [{ time, line }];
    });
}

/** A line is read when its interval has just ended, or later, so the earliest of them shows when the tool began. */
function originOf(lines: readonly StampedLine[]): number | undefined {
  if (lines.length === 0) return undefined;
  return lines.reduce((earliest, { time, line }) => Math.min(earliest, time - line.endSeconds), Infinity);
}

function intervalsOf(header: ChunkHeader, lines: readonly RateLine[]): readonly ToolInterval[] {
  const context = contextOfCommand(header.command);
  const isSender = context.role === 'client' ? !context.reverse : looksLikeSender(lines);
  const isUdp = lines.some((line) => line.packets !== undefined);
  const hasWindow = lines.some((line) => line.congestionWindowBytes !== undefined);
  const protocol = isUdp || (isSender && lines.length > 0 && !hasWindow) ? 'udp' : 'tcp';
  const printed = lines.map((line) => {
    const sends = line.role?.isSender ?? isSender;
    const isServer = line.role?.isServer ?? context.role === 'server';
    const direction: DrivenDirection = sends === isServer ? 'reverse' : 'forward';
    return intervalOf(line, direction, sends ? 'sender' : 'receiver', context.protocol ?? protocol);
  });
  // iperf3 prints the sum of several streams last: where it is missing here, the next chunk has it.
  return orderedIntervals(printed, false).intervals;
}
