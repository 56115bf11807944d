/** The report's script: values under the pointer, zoom, sorting, the filter and downloads. The page works without it. */
import { prepareCards } from './cards';
import { prepareCharts } from './charts';
import { explainFiles } from './files';
import { prepareFilter } from './filter';
import { prepareTables } from './tables';
import { prepareTransfer } from './transfer';

prepareCards();
prepareCharts();
prepareTables();
prepareTransfer();
prepareFilter();
explainFiles();
