/** The report's script: values under the pointer, zoom, sorting, filters and downloads. The page works without it. */
import { prepareCards } from './cards';
import { prepareCardFilters } from './card-filters';
import { prepareOnDemand } from './on-demand';
import { prepareTransfer } from './transfer';

prepareOnDemand();
prepareCardFilters();
prepareCards();
prepareTransfer();
