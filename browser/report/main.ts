/**
 * The script of the report, which adds values under the pointer, zoom, sorting and downloads to a page that works
 * without it.
 */
import { prepareCards } from './cards';
import { prepareCharts } from './charts';
import { prepareTables } from './tables';

prepareCards();
prepareCharts();
prepareTables();
