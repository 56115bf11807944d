/** iperf3's series as far as some of its lines tell it: a chunk may begin and end anywhere in the output. */
import type { DrivenDirection } from '../model/settings';
import type { ChunkHeader, RawLine, ToolLine } from '../model/raw-chunk';
import { intervalOf, looksLikeSender } from '../parsers/iperf3/iperf3-text';
import { parseRateLine, type RateLine } from '../parsers/iperf3/iperf3-text-line';
import { plainLine } from '../parsers/plain-line';
import type { ToolInterval } from '../parsers/tool-output';
import { cleanSeries } from '../parsers/tool-series';
import { contextOfCommand } from './iperf3-command';
import type { PrintedSeries } from './tool-module';

interface StampedLine {
  readonly time: number;
  readonly line: RateLine;
}

export function iperf3Series(header: ChunkHeader, lines: readonly RawLine[]): PrintedSeries {
  const rates = intervalLines(lines);
  const originSeconds = originOf(rates);
  return {
    intervals: intervalsOf(
      header,
      rates.map((rate) => rate.line),
    ),
    ...(originSeconds !== undefined && { originSeconds }),
  };
}

function intervalLines(lines: readonly RawLine[]): StampedLine[] {
  return lines.filter(isOutputLine).flatMap(({ time, line: text }) => {
    const line = parseRateLine(plainLine(text));
    if (line === undefined || line.side !== undefined || line.omitted) return [];
    return [{ time, line }];
  });
}

function isOutputLine(line: RawLine): line is ToolLine {
  return line.source === 'stdout';
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
  // With several streams iperf3 prints their sum last: where it is missing here, the next chunk has it.
  return cleanSeries(printed, false).intervals;
}

/** A line is read right after its interval has ended, or later: the earliest tells when the tool began. */
function originOf(lines: readonly StampedLine[]): number | undefined {
  if (lines.length === 0) return undefined;
  return lines.reduce((earliest, { time, line }) => Math.min(earliest, time - line.endSeconds), Infinity);
}

/** Origin of a whole stream's time axis. */
export function streamOriginSeconds(lines: readonly RawLine[]): number | undefined {
  return originOf(intervalLines(lines));
}
