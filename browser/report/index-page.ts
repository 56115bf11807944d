/** The script of the page over all runs: sorting, the filter and the comparison. The page works without it. */
import { prepareFilter } from './filter';
import { prepareTables } from './tables';
import { prepareTicks } from './ticks';

prepareTables(document);
prepareFilter();
prepareTicks();
