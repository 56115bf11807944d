/**
 * What the service itself does for a measurement, counted from how it works: chunks that hosts upload and a function reads,
 * looks at commands, analyses, the report. Small beside traffic and hosts, but never nothing.
 */
import { ATHENA_MINIMUM_BYTES, GIGABYTE, type PriceTable } from './prices/price-table';
import { priceSplit, type PriceRange, type PriceSplit } from './prices/price-split';
import { commandPollCount } from '../workflow/polling';

/** A host cuts a chunk of its lines so often. */
const CHUNK_SECONDS = 10;
/** Chunks, their manifest, and what is kept of a measurement: samples, its row, its result. */
const HOSTS = 2;
const OBJECTS_PER_MEASUREMENT = 12;
/** A chunk as it came and its rows for the live table. */
const WRITES_PER_CHUNK = 2;
const READS_PER_CHUNK = 2;

/** Of every second of every host: the tool's line and the counters; and of every round trip, which are all kept. */
const BYTES_PER_SECOND = 2_000;
const BYTES_PER_MESSAGE = 40;
/** How long the raw lines are kept. */
const KEPT_MONTHS = 3;

/** States that a look at a command enters, and those of a measurement and of a pair besides. */
const TRANSITIONS = { perPoll: 5, perMeasurement: 16, perPair: { expected: 250, upper: 2_500 }, perRun: 60 } as const;

const LAMBDA = {
  perChunk: { gibibyteSeconds: 0.5, requests: 1 },
  perMeasurement: { gibibyteSeconds: 10, requests: 3 },
  perPair: { gibibyteSeconds: 20, requests: 20 },
  perRun: { gibibyteSeconds: 120, requests: 10 },
  /** A retried function runs again. */
  upperFactor: 3,
} as const;

/** Comparisons in the report. */
const QUERIES = { expected: 1, upper: 4 } as const;
/** What a query over the runs of an account may read; a day's partition is far less. */
const QUERY_BYTES = { expected: ATHENA_MINIMUM_BYTES, upper: 100 * ATHENA_MINIMUM_BYTES } as const;

export interface OwnWork {
  readonly expectedSeconds: number;
  readonly limitSeconds: number;
  readonly expectedMessages: number;
  readonly upperMessages: number;
}

export function ownWorkOfMeasurement(work: OwnWork, prices: PriceTable): PriceRange {
  const { expectedSeconds, limitSeconds } = work;
  return {
    expected: priceOfWork(
      expectedSeconds,
      work.expectedMessages,
      commandPolls(expectedSeconds, expectedSeconds),
      prices,
    ),
    upper: withRetries(
      priceOfWork(limitSeconds, work.upperMessages, commandPolls(expectedSeconds, limitSeconds), prices),
    ),
  };
}

export function ownWorkOfPair(prices: PriceTable): PriceRange {
  const expected = lambda(LAMBDA.perPair, prices);
  return {
    expected: priceSplit({ stepFunctions: transitions(TRANSITIONS.perPair.expected, prices), lambda: expected }),
    upper: priceSplit({
      stepFunctions: transitions(TRANSITIONS.perPair.upper, prices),
      lambda: LAMBDA.upperFactor * expected,
    }),
  };
}

export function ownWorkOfRun(prices: PriceTable): PriceRange {
  const athena = (which: 'expected' | 'upper') =>
    ((QUERIES[which] * QUERY_BYTES[which]) / 1e12) * prices.athenaUsdPerTerabyte;
  const stepFunctions = transitions(TRANSITIONS.perRun, prices);
  const expected = lambda(LAMBDA.perRun, prices);
  return {
    expected: priceSplit({ athena: athena('expected'), stepFunctions, lambda: expected }),
    upper: priceSplit({ athena: athena('upper'), stepFunctions, lambda: LAMBDA.upperFactor * expected }),
  };
}

function commandPolls(expectedSeconds: number, deadlineSeconds: number): number {
  return commandPollCount({ expectedSeconds, deadlineSeconds: Math.max(expectedSeconds, deadlineSeconds) });
}

function priceOfWork(seconds: number, messages: number, polls: number, prices: PriceTable): PriceSplit {
  const chunks = HOSTS * Math.ceil(seconds / CHUNK_SECONDS);
  const writes = WRITES_PER_CHUNK * chunks + OBJECTS_PER_MEASUREMENT;
  const reads = READS_PER_CHUNK * chunks + OBJECTS_PER_MEASUREMENT;
  const stored = HOSTS * seconds * BYTES_PER_SECOND + messages * BYTES_PER_MESSAGE;
  return priceSplit({
    s3:
      (writes / 1000) * prices.s3UsdPerThousandWrites +
      (reads / 1000) * prices.s3UsdPerThousandReads +
      (stored / GIGABYTE) * KEPT_MONTHS * prices.s3UsdPerGigabyteMonth,
    stepFunctions: transitions(polls * TRANSITIONS.perPoll + TRANSITIONS.perMeasurement, prices),
    lambda: chunks * lambda(LAMBDA.perChunk, prices) + lambda(LAMBDA.perMeasurement, prices),
  });
}

function transitions(count: number, prices: PriceTable): number {
  return (count / 1000) * prices.stepFunctionsUsdPerThousandTransitions;
}

function lambda(use: { readonly gibibyteSeconds: number; readonly requests: number }, prices: PriceTable): number {
  return (
    use.gibibyteSeconds * prices.lambdaUsdPerGibibyteSecond + (use.requests / 1e6) * prices.lambdaUsdPerMillionRequests
  );
}

function withRetries(split: PriceSplit): PriceSplit {
  return { ...split, lambda: split.lambda === null ? null : LAMBDA.upperFactor * split.lambda };
}
