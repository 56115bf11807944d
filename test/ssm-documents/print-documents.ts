/** Prints the documents as they are deployed, one JSON object by name: what the Python tests run. */
import { buildDocument, DOCUMENT_NAMES } from '../../lib/measurement-documents/measurement-documents';

console.log(JSON.stringify(Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, buildDocument(name)]))));
