/** Writes the plan's JSON Schema for editors (`npm run schema`); a test fails when it no longer matches. */
import { join } from 'node:path';
import { planJsonSchema } from '../domain/plan/allowed-values';
import { writeFormatted } from './documents';

const path = join(__dirname, '../schemas/benchmark-plan.schema.json');
void writeFormatted(path, JSON.stringify(planJsonSchema()), 'json');
