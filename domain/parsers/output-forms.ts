/**
 * Which tools' output a text holds. Mentioning a tool is no evidence: a table, a page or a configuration may have its
 * name, so each form is recognised by a line that only the tool prints, from its beginning on.
 *
 * | form                 | a line of it                                                                              |
 * | -------------------- | ----------------------------------------------------------------------------------------- |
 * | iperf3 --json-stream | an event with the name of one of iperf3's and its data                                    |
 * | iperf3 -J            | the opening of a document with its `start`                                                |
 * | iperf3 text          | a rate; the version by itself; who connects or listens                                    |
 * | iperf3 error         | an error that begins `iperf3: `; it may stand beside the other forms of iperf3            |
 * | sockperf             | `sockperf: ` with one of its sentences                                                    |
 * | ping                 | the first line of a run; a reply or error with `icmp_seq`; an error that begins `ping: `  |
 * | tracepath            | this host's own hop; the summary                                                          |
 * | iperf 2              | who connects or listens, with `TCP port`; a rate between other decimals; a line of `-y C` |
 */

import { MAX_LINE_LENGTH, plainLine, STAMP } from './text-lines';

export type OutputForm = keyof typeof LINES;

/** A time, a title or the name of a host may precede a line, but not the other cells of a table. */
const PREFIX = String.raw`^[^\n",;<]{0,60}`;
const END_OF_LINE = String.raw`[ \t\r\0]*$`;
const RATE = String.raw` +sec +\S{1,20} [KMGTPE]?Bytes +\S{1,20} [KMGTP]?(?:bits|Bytes)\/sec`;
const COLOUR = String.raw`(?:\u001b\[[0-9;]*m)?`;

function line(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'm');
}

const LINES = {
  'iperf3 --json-stream': line(
    String.raw`^[^{\r\n]{0,100}\{\s*"event"\s*:\s*"(?:start|interval|end|error|server_output_(?:json|text))"\s*,\s*"data"`,
  ),
  'iperf3 -J': line(String.raw`\{\s*"start"\s*:\s*\{`),
  'iperf3 text': line(
    // iperf3 has always printed two decimals. A rate needs no other evidence, but must not be part of a JSON string.
    String.raw`^[^\n"]{0,200}\[ *(?:SUM|\d{1,5})\](?:\[[TR]X-[CS]\])? +\d{1,9}(?:\.\d\d)?- *\d{1,9}(?:\.\d\d)?${RATE}`,
    `${PREFIX}(?:${[
      String.raw`iperf 3\.\d\S{0,20}(?: \(.{1,60}\))?`,
      String.raw`Connecting to host \S{1,255}, port \d+`,
      String.raw`Server listening on \d+(?: \(test #\d+\))?`,
      String.raw`Accepted connection from \S{1,255}, port \d+`,
    ].join('|')})${END_OF_LINE}`,
  ),
  'iperf3 error': line(
    String.raw`${PREFIX}\biperf3?: (?:error|interrupt|parameter error|unrecognized option|invalid option|option|unable|the (?:client|server)|command not found)\b`,
  ),
  sockperf: line(
    // The latency probe quotes sockperf in its own lines.
    String.raw`^(?!probe: )[^\n",;<]{0,40}sockperf(?:\[CLIENT\] |: *${COLOUR}(?:=|-+>|#|\[(?:Total|Valid|SERVER|tid)|Summary: |Total |Test |Starting test|Warmup stage|ERROR|No |NOTE: |RunTime|cleanup))`,
  ),
  ping: line(
    String.raw`^(?:${STAMP})?PING \S.{0,600}(?:\d\(\d{1,6}\)|\)(?: from .{1,300}:)? \d{1,6} data bytes)`,
    String.raw`^(?:${STAMP})?ping: (?:[^:\n]{1,255}: \S|unknown host )`,
    String.raw`^[^\n",;<]{0,300}\bicmp_[rs]eq[= ]\d`,
  ),
  tracepath: line(String.raw`^ +Resume: pmtu \d+`, String.raw`^ *\d+\??: .*\[LOCALHOST\]`),
  'iperf 2': line(
    String.raw`${PREFIX}(?:Client connecting to \S{1,255}, |Server listening on )(?:TCP|UDP) port \d+`,
    String.raw`${PREFIX}iperf version 2\.\d`,
    String.raw`^.{0,200}\[ *(?:SUM(?:-\d{1,5})?|(?:\*|FD)?\d{1,5})\] +\d{1,9}\.(?:\d|\d{3,6})- *\d{1,9}\.(?:\d|\d{3,6})${RATE}`,
    // Time, both ends, number of the stream, interval, bytes and bit/s.
    String.raw`^\d{14}[^,\n]{0,30},[^,\n]{1,60},\d{1,5},[^,\n]{1,60},\d{1,5},-?\d{1,9},\d{1,9}\.\d{1,6}-\d{1,9}\.\d{1,6},\d{1,20},-?\d{1,20}\b`,
  ),
} as const;

/** A line of JSON may be of any length. */
const JSON_FORMS: readonly OutputForm[] = ['iperf3 --json-stream', 'iperf3 -J'];
const FORMS = Object.keys(LINES) as readonly OutputForm[];

/** @returns the forms that the text holds, each with the number of its first line, in the order of the table above */
export function formsIn(text: string): ReadonlyMap<OutputForm, number> {
  const found = new Map<OutputForm, number>();
  const shortLines = withoutLongLines(text);
  for (const form of FORMS) {
    const searched = JSON_FORMS.includes(form) ? text : shortLines;
    const match = LINES[form].exec(searched);
    if (match !== null) found.set(form, lineNumberAt(searched, match.index));
  }
  return found;
}

/** The longer lines are empty, so that each line keeps its number. */
function withoutLongLines(text: string): string {
  const lines = text.split('\n').map(plainLine);
  return lines.map((line) => (line.length <= MAX_LINE_LENGTH ? line : '')).join('\n');
}

function lineNumberAt(text: string, index: number): number {
  let number = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', end + 1)) number += 1;
  return number;
}
