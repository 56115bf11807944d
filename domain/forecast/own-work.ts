/**
 * Prices the service's own work: chunks that hosts upload and a function reads, polling of commands, analyses, the
 * report. The counts follow from how the service works. They are small beside traffic and hosts, but never zero.
 */
import { CHUNK_SECONDS, RETENTION_DAYS } from '../model/service-facts';
import { ATHENA_MINIMUM_BYTES, DAY_SECONDS, MONTH_SECONDS, s3Usd, type PriceTable } from './prices/price-table';
import { priceSplit, range, type PriceRange, type Range } from './range';
import { commandPollCount } from '../workflow/polling';

const HOSTS = 2;
/** Manifests, samples, row and result, with the intermediate objects. */
const OBJECTS_PER_MEASUREMENT = 12;
/** Each chunk is written itself, and as rows for the live table. */
const WRITES_PER_CHUNK = 2;
const READS_PER_CHUNK = 2;

/** Bytes per host: the tool's line and the counters of each second. */
const BYTES_PER_SECOND = 2_000;
/** Every round trip is stored. */
const BYTES_PER_MESSAGE = 40;
const RAW_STREAM_MONTHS = (RETENTION_DAYS.rawStreams * DAY_SECONDS) / MONTH_SECONDS;

/**
 * What a measurement leaves for good: its row and result, and by the second its samples, twice, and their CSV. They are
 * those of half an hour with four streams (`test/lambdas/kept-bytes.test.ts`).
 */
export const KEPT_BYTES = { perMeasurement: 10_000, perSecond: 340 } as const;
/** Nobody knows when results will be deleted, so a year is priced. The forecast says so. */
const KEPT_MONTHS = (365 * DAY_SECONDS) / MONTH_SECONDS;

/** State transitions per poll of a command, and besides per measurement, pair and run. */
const TRANSITIONS = { perPoll: 5, perMeasurement: 16, perPair: { expected: 250, upper: 2_500 }, perRun: 60 } as const;

const LAMBDA = {
  perChunk: { gibibyteSeconds: 0.5, requests: 1 },
  perMeasurement: { gibibyteSeconds: 10, requests: 3 },
  perPair: { gibibyteSeconds: 20, requests: 20 },
  perRun: { gibibyteSeconds: 120, requests: 10 },
} as const;
/** A function that is retried is charged again. */
const LAMBDA_RUNS = { expected: 1, upper: 3 } as const;

/** Queries for the comparisons in the report. */
const QUERIES = { expected: 1, upper: 4 } as const;
/** What a query over all runs of an account may read; the partition of a day is far smaller. */
const QUERY_BYTES = { expected: ATHENA_MINIMUM_BYTES, upper: 100 * ATHENA_MINIMUM_BYTES } as const;

export function ownWorkOfMeasurement(seconds: Range<number>, messages: Range<number>, prices: PriceTable): PriceRange {
  const perChunk = lambda(LAMBDA.perChunk, prices);
  const perMeasurement = lambda(LAMBDA.perMeasurement, prices);
  return range((bound) => {
    const chunks = HOSTS * Math.ceil(seconds[bound] / CHUNK_SECONDS);
    const polls = commandPollCount({
      expectedSeconds: seconds.expected,
      deadlineSeconds: Math.max(seconds.expected, seconds[bound]),
    });
    const requests = {
      writes: WRITES_PER_CHUNK * chunks + OBJECTS_PER_MEASUREMENT,
      reads: READS_PER_CHUNK * chunks + OBJECTS_PER_MEASUREMENT,
    };
    const storedBytes = HOSTS * seconds[bound] * BYTES_PER_SECOND + messages[bound] * BYTES_PER_MESSAGE;
    return priceSplit({
      s3: s3Usd({ ...requests, storedBytes, months: RAW_STREAM_MONTHS }, prices),
      stepFunctions: transitions(polls * TRANSITIONS.perPoll + TRANSITIONS.perMeasurement, prices),
      lambda: LAMBDA_RUNS[bound] * (chunks * perChunk + perMeasurement),
    });
  });
}

/** Is in the forecast alone, because what a run has cost does not depend on how long its results will stay. */
export function storageOfResults(seconds: Range<number>, prices: PriceTable): PriceRange {
  return range((bound) => {
    const storedBytes = KEPT_BYTES.perMeasurement + seconds[bound] * KEPT_BYTES.perSecond;
    return priceSplit({ s3: s3Usd({ writes: 0, reads: 0, storedBytes, months: KEPT_MONTHS }, prices) });
  });
}

export function ownWorkOfPair(prices: PriceTable): PriceRange {
  return range((bound) =>
    priceSplit({
      stepFunctions: transitions(TRANSITIONS.perPair[bound], prices),
      lambda: LAMBDA_RUNS[bound] * lambda(LAMBDA.perPair, prices),
    }),
  );
}

export function ownWorkOfRun(prices: PriceTable): PriceRange {
  return range((bound) =>
    priceSplit({
      athena: ((QUERIES[bound] * QUERY_BYTES[bound]) / 1e12) * prices.athenaUsdPerTerabyte,
      stepFunctions: transitions(TRANSITIONS.perRun, prices),
      lambda: LAMBDA_RUNS[bound] * lambda(LAMBDA.perRun, prices),
    }),
  );
}

function transitions(count: number, prices: PriceTable): number {
  return (count / 1000) * prices.stepFunctionsUsdPerThousandTransitions;
}

function lambda(use: { readonly gibibyteSeconds: number; readonly requests: number }, prices: PriceTable): number {
  return (
    use.gibibyteSeconds * prices.lambdaUsdPerGibibyteSecond + (use.requests / 1e6) * prices.lambdaUsdPerMillionRequests
  );
}
