/** The report's script: values under the pointer, zoom, sorting and downloads. The page works without it. */
import { prepareCards } from './cards';
import { prepareCharts } from './charts';
import { explainFiles } from './files';
import { prepareTables } from './tables';
import { prepareTransfer } from './transfer';

prepareCards();
prepareCharts();
prepareTables();
prepareTransfer();
explainFiles();
