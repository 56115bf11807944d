/** Prints a table of the rows on standard input, a JSON array of arrays of strings; the first has the headings. */
import { readFileSync } from 'node:fs';
import { queryTable } from '../domain/text/text-table';
import { terminalWidth } from './command-line';

const [headings = [], ...rows] = JSON.parse(readFileSync(0, 'utf8')) as string[][];
console.log(queryTable(headings, rows, terminalWidth()));
