/** `iperf3 -J`: one document, complete or cut off, with whatever is printed around it. */
import { asRecord, asRecords, findJsonObjects, type JsonRecord } from '../json-text';
import { chooseRun } from '../runs-of-file';
import { plainLine } from '../text-lines';
import { ToolOutputError, type ThroughputOutput } from '../tool-output';
import { outputOfDocument } from './document';
import { errorOfLine } from './text-line';

export function parseIperf3Json(text: string): ThroughputOutput {
  const { found, rest } = findJsonObjects(text);
  const documents = found.flatMap(({ value, isCutOff }) => {
    const document = asRecord(value);
    return document !== undefined && isDocument(document) ? [{ document, isCutOff }] : [];
  });
  const { run, warnings } = chooseRun(documents, ({ document }) => asRecords(document.intervals).length > 0);
  if (run === undefined) {
    throw new ToolOutputError('JSON: must be a document of iperf3 -J, got something else or too little of one');
  }
  const { document, isCutOff } = run;
  return outputOfDocument(isCutOff ? withoutTornInterval(document) : document, {
    errors: rest.split('\n').flatMap((line) => errorOfLine(plainLine(line)) ?? []),
    warnings: [...warnings, ...(isCutOff ? ['the JSON ends in the middle; what was whole is analysed'] : [])],
  });
}

function isDocument(document: JsonRecord): boolean {
  return asRecord(document.start) !== undefined || Array.isArray(document.intervals) || document.error !== undefined;
}

/** The last interval of a document that is cut off may lack some of its streams; its `sum` comes after all of them. */
function withoutTornInterval(document: JsonRecord): JsonRecord {
  const intervals = asRecords(document.intervals);
  return intervals.at(-1)?.sum === undefined ? { ...document, intervals: intervals.slice(0, -1) } : document;
}
