/** Parses any result file: the text itself shows which tools printed it, and in which format. */
import { parseIperf3Json, parseIperf3JsonStream } from './iperf3/json';
import { parseIperf3Text } from './iperf3/text';
import { parseRateLine } from './iperf3/text-line';
import { formsIn, type OutputForm } from './output-forms';
import { parsePingText } from './ping/text';
import { parseSockperfText } from './sockperf/text';
import { plainLine, withoutEnd } from './text-lines';
import { ToolOutputError, type ToolOutput } from './tool-output';
import { parseTracepathText } from './tracepath/text';

/** Named in help texts and error messages. */
export const READABLE_OUTPUTS = 'iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath';

const PARSERS: Readonly<Record<Exclude<OutputForm, 'iperf 2'>, (text: string) => ToolOutput>> = {
  'iperf3 --json-stream': parseIperf3JsonStream,
  'iperf3 -J': parseIperf3Json,
  'iperf3 text': parseIperf3Text,
  sockperf: parseSockperfText,
  ping: parsePingText,
  tracepath: parseTracepathText,
};

/** @throws ToolOutputError for a text that no parser knows */
export function parseToolOutput(text: string): ToolOutput {
  // Without a byte order mark, and without the zeros that a file system leaves after a crash.
  const content = withoutEnd(text.replace(/^\ufeff/, ''), '\u0000');
  if (content.trim() === '') throw new ToolOutputError('the file is empty');
  const forms = formsIn(content);
  const iperf2Line = forms.get('iperf 2');
  if (iperf2Line !== undefined) {
    throw new ToolOutputError(
      `line ${iperf2Line}: must be output of ${READABLE_OUTPUTS}, got iperf 2: measure with iperf3, or give the rates as a series (--series)`,
    );
  }
  for (const form of forms.keys()) if (form !== 'iperf 2') return PARSERS[form](content);
  // What is left of a JSON document whose beginning is missing is refused in the words of its own parser.
  if (/"(?:start|intervals|end|error)"\s*:/.test(content)) return parseIperf3Json(content);
  // Other programs may wrap iperf3's lines in strings of their own.
  if (content.split('\n').some((line) => parseRateLine(plainLine(line)) !== undefined)) return parseIperf3Text(content);
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else`);
}
