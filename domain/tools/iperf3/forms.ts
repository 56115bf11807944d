/** The forms of iperf3's output, and of iperf 2's, which is refused: its lines resemble iperf3's too closely. */
import { anyLine, END_OF_LINE, PREFIX, type OutputForm } from '../output-forms';
import { parseIperf3Json, parseIperf3JsonStream } from './json';
import { parseIperf3Text } from './text';

const RATE = String.raw` +sec +\S{1,20} [KMGTPE]?Bytes +\S{1,20} [KMGTP]?(?:bits|Bytes)\/sec`;

/** Recognised by an event with one of iperf3's names and its data. */
const jsonStream: OutputForm = {
  name: 'iperf3 --json-stream',
  line: anyLine(
    String.raw`^[^{\r\n]{0,100}\{\s*"event"\s*:\s*"(?:start|interval|end|error|server_output_(?:json|text))"\s*,\s*"data"`,
  ),
  isJson: true,
  parse: parseIperf3JsonStream,
};

/** Recognised by the opening of a document with its `start`. */
const json: OutputForm = {
  name: 'iperf3 -J',
  line: anyLine(String.raw`\{\s*"start"\s*:\s*\{`),
  isJson: true,
  parse: parseIperf3Json,
};

/** Recognised by a rate, a line with only the version, or a line about connecting or listening. */
const text: OutputForm = {
  name: 'iperf3 text',
  line: anyLine(
    // iperf3 has always printed two decimals. A rate needs no other evidence, but must not be within a JSON string.
    String.raw`^[^\n"]{0,200}\[ *(?:SUM|\d{1,5})\](?:\[[TR]X-[CS]\])? +\d{1,9}(?:\.\d\d)?- *\d{1,9}(?:\.\d\d)?${RATE}`,
    `${PREFIX}(?:${[
      String.raw`iperf 3\.\d\S{0,20}(?: \(.{1,60}\))?`,
      String.raw`Connecting to host \S{1,255}, port \d+`,
      String.raw`Server listening on \d+(?: \(test #\d+\))?`,
      String.raw`Accepted connection from \S{1,255}, port \d+`,
    ].join('|')})${END_OF_LINE}`,
  ),
  parse: parseIperf3Text,
};

/** Recognised by an error that begins with `iperf3: `; it may occur beside the other forms. */
const error: OutputForm = {
  name: 'iperf3 error',
  line: anyLine(
    String.raw`${PREFIX}\biperf3?: (?:error|interrupt|parameter error|unrecognized option|invalid option|option|unable|the (?:client|server)|command not found)\b`,
  ),
  parse: parseIperf3Text,
};

/** Recognised by a line about connecting or listening with `TCP port`, a rate with other decimals, or a `-y C` line. */
const iperf2: OutputForm = {
  name: 'iperf 2',
  line: anyLine(
    String.raw`${PREFIX}(?:Client connecting to \S{1,255}, |Server listening on )(?:TCP|UDP) port \d+`,
    String.raw`${PREFIX}iperf version 2\.\d`,
    String.raw`^.{0,200}\[ *(?:SUM(?:-\d{1,5})?|(?:\*|FD)?\d{1,5})\] +\d{1,9}\.(?:\d|\d{3,6})- *\d{1,9}\.(?:\d|\d{3,6})${RATE}`,
    // A `-y C` line: time, both hosts, number of the stream, interval, bytes and bit/s.
    String.raw`^\d{14}[^,\n]{0,30},[^,\n]{1,60},\d{1,5},[^,\n]{1,60},\d{1,5},-?\d{1,9},\d{1,9}\.\d{1,6}-\d{1,9}\.\d{1,6},\d{1,20},-?\d{1,20}\b`,
  ),
  advice: 'measure with iperf3, or give the rates as a series (--series)',
};

export const IPERF3_FORMS = { jsonStream, json, text, error, iperf2 };
