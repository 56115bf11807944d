/** Prints a table of the rows on standard input, a JSON array of arrays of strings; the first has the headings. */
import { readFileSync } from 'node:fs';
import { textTable } from '../domain/text/text-table';

const [headings = [], ...rows] = JSON.parse(readFileSync(0, 'utf8')) as string[][];
console.log(textTable(headings, rows, { hasRule: true }));
