/** All checks, in the order in which the walk makes them. */
import type { Check } from '../check';
import { runChecks } from './runs';
import { stackChecks } from './stack';

export const CHECKS: readonly Check[] = [...stackChecks, ...runChecks];
