/** `iperf3 -J`: one document, with whatever stands around it, whole or cut off. */
import { outputOfDocument } from './iperf3-document';
import { errorOfLine } from './iperf3-text-line';
import { plainLine } from '../plain-line';
import { asRecord, asRecords, findJsonObjects } from '../json-text';
import type { JsonRecord } from '../json-text';
import { ToolOutputError } from '../tool-output';
import type { ThroughputOutput } from '../tool-output';

export function parseIperf3Json(text: string): ThroughputOutput {
  const { found, rest } = findJsonObjects(text);
  const documents = found.flatMap(({ value, isCutOff }) => {
    const document = asRecord(value);
    return document !== undefined && isDocument(document) ? [{ document, isCutOff }] : [];
  });
  const measured = documents.findLast(({ document }) => asRecords(document.intervals).length > 0) ?? documents.at(-1);
  if (measured === undefined) {
    throw new ToolOutputError('JSON: must be a document of iperf3 -J, got something else or too little of one');
  }
  const warnings: string[] = [];
  if (documents.length > 1) {
    warnings.push(`the file holds ${documents.length} tests; the last one that measured something is analysed`);
  }
  if (measured.isCutOff) warnings.push('the JSON ends in the middle; what was whole is analysed');
  return outputOfDocument(measured.isCutOff ? withoutTornInterval(measured.document) : measured.document, {
    errors: rest.split('\n').flatMap((line) => errorOfLine(plainLine(line)) ?? []),
    warnings,
  });
}

function isDocument(document: JsonRecord): boolean {
  return asRecord(document.start) !== undefined || Array.isArray(document.intervals) || 'error' in document;
}

/** The last interval of a torn document may lack some of its streams; its `sum` comes after them all. */
function withoutTornInterval(document: JsonRecord): JsonRecord {
  const intervals = asRecords(document.intervals);
  return intervals.at(-1)?.sum === undefined ? { ...document, intervals: intervals.slice(0, -1) } : document;
}
