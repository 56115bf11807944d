/** The script of the page over all runs: sorting, the filter and the comparison. The page works without it. */
import { prepareIndexFilter } from './index-filter';
import { prepareTables } from './tables';
import { prepareTicks } from './ticks';

prepareTables(document);
prepareIndexFilter();
prepareTicks();
