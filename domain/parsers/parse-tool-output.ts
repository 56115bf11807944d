/** Parses any result file: the text itself shows which tool printed it, and in which format. */
import { isJsonStream, parseIperf3Json, parseIperf3JsonStream } from './iperf3/json';
import { parseIperf3Text } from './iperf3/text';
import { errorOfLine, parseRateLine } from './iperf3/text-line';
import { isPingText, parsePingText } from './ping/text';
import { parseSockperfText } from './sockperf/text';
import { plainLine } from './text-lines';
import { ToolOutputError, type ToolOutput } from './tool-output';
import { isTracepathText, parseTracepathText } from './tracepath/text';

/** Named in help texts and error messages. */
export const READABLE_OUTPUTS = 'iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath';

/** @throws ToolOutputError for a text that no parser knows */
export function parseToolOutput(text: string): ToolOutput {
  // Without a byte order mark, and without the zeros that a file system leaves after a crash.
  const content = text.replace(/^\ufeff/, '').replace(/\u0000+$/, '');
  if (content.trim() === '') throw new ToolOutputError('the file is empty');
  if (isJsonStream(content)) return parseIperf3JsonStream(content);
  if (/"(?:start|intervals|end|error)"\s*:/.test(content)) return parseIperf3Json(content);
  if (/^.{0,40}sockperf(?:\[CLIENT\]|:)/m.test(content)) return parseSockperfText(content);
  if (isPingText(content)) return parsePingText(content);
  if (isTracepathText(content)) return parseTracepathText(content);
  if (isIperf3Text(content)) return parseIperf3Text(content);
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else`);
}

function isIperf3Text(text: string): boolean {
  const head = /^.{0,60}(?:iperf 3\.|Connecting to host |Server listening on |Accepted connection from )/m;
  if (head.test(text)) return true;
  return text.split('\n').some((rawLine) => {
    const line = plainLine(rawLine);
    return parseRateLine(line) !== undefined || errorOfLine(line) !== undefined;
  });
}
