/** All checks, in the order in which the walk makes them. */
import type { Check } from '../check';
import { measuringChecks } from './measuring';
import { runChecks } from './runs';
import { stackChecks } from './stack';
import { stoppingChecks } from './stopping';

/** Those that look at a measuring run come before those that wait for its end. */
export const CHECKS: readonly Check[] = [...stackChecks, ...measuringChecks, ...runChecks, ...stoppingChecks];
