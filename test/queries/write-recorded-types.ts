/**
 * Writes what the report and the expectations say of each recorded measurement, beside its row and prices: `tsx
 * write-recorded-types.ts FILE`.
 */
import { writeFileSync } from 'node:fs';
import { heldSeconds } from '../../domain/model/answer';
import type { Expectation } from '../../domain/model/expectation';
import type { MeasurementResult } from '../../domain/model/result';
import { answeredHold, sustainedFigure } from '../../domain/answer/row-figures';
import { judgeExpectations } from '../../domain/run/expectations';
import { measurementRow } from '../../domain/tables/columns';
import { recordedInput } from '../support/recorded-types';

const [file] = process.argv.slice(2) as [string];
const RATES = [1, 2, 5, 10] as const;
/** As shares of the hold time that the report shows. */
const SHARES = [0.99, 1.01];

function statusOf(result: MeasurementResult, expectation: Expectation) {
  return judgeExpectations({ plan: { expect: [expectation] }, results: [result], costUsd: null })?.judged[0]?.status;
}

function saidOf(result: MeasurementResult, rate: (typeof RATES)[number]) {
  const hold = answeredHold([result], rate * 1e9);
  const seconds = hold === undefined ? null : Math.min(heldSeconds(hold), 1e9);
  const asked = SHARES.map((share) => share * Math.max(seconds ?? 1, 0.001));
  const expected = asked.map((min) => ({ min, status: statusOf(result, { [`held${rate}GbitSeconds`]: { min } }) }));
  return { rate, report: { kind: hold?.kind ?? null, seconds: hold?.kind === 'always' ? null : seconds }, expected };
}

const { results } = recordedInput();
writeFileSync(
  file,
  JSON.stringify(
    results.map((result) => {
      const { value = null, bound = null } = sustainedFigure([result]) ?? {};
      const said = RATES.map((rate) => saidOf(result, rate));
      return {
        row: { ...measurementRow(result), client_hourly_usd: 0.1, server_hourly_usd: 0.1 },
        sustained: { value, bound },
        said,
      };
    }),
  ),
);
