/**
 * The script of the report. Everything is readable without it: it adds the values under the pointer, a chart to zoom
 * into, sorting, and files of what the page holds.
 */
import { prepareCards } from './cards';
import { prepareCharts } from './charts';
import { prepareTables } from './tables';

prepareCards();
prepareCharts();
prepareTables();
