/** All checks, in the order in which the walk makes them. */
import type { Check } from '../check';
import { measuringChecks } from './measuring';
import { liveRowsCheck, resultChecks, starterCheck } from './results';
import { runChecks } from './runs';
import { smallChecks } from './small';
import { stackChecks } from './stack';
import { stoppingChecks } from './stopping';

/** Those that look at a measuring run come before those that wait for its end. */
export const CHECKS: readonly Check[] = [
  ...stackChecks,
  liveRowsCheck,
  ...measuringChecks,
  ...runChecks,
  ...resultChecks,
  ...smallChecks,
  ...stoppingChecks,
  starterCheck,
];
