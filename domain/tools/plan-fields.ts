/** Fields that the plan entries of several tools share. */
import * as z from 'zod';
import { SETTINGS } from '../model/settings';

export const durationSeconds = SETTINGS.durationSeconds.schema
  .min(5)
  .max(7200)
  .describe('How long the tool runs, in seconds');

export const protocol = SETTINGS.protocol.schema.default('tcp');

export const repetitionsOnPair = z
  .int()
  .min(1)
  .max(50)
  .default(1)
  .describe('How often on the same pair; where that spends network credits, each on a fresh pair of its own');

export const scheme = SETTINGS.scheme.schema.default('http').describe('With https, encryption is measured too');

export const parallelTransfers = SETTINGS.parallelStreams.schema
  .default(4)
  .describe('How many transfers run at once, each in a curl of its own');
