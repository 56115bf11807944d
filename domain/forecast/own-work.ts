/**
 * What the service itself costs: chunks that hosts upload and a function reads, polling of commands, analyses, the
 * report. The counts follow from how the service works. They are small beside traffic and hosts, but never nothing.
 */
import { CHUNK_SECONDS, RETENTION_DAYS } from '../model/service-facts';
import { ATHENA_MINIMUM_BYTES, DAY_SECONDS, GIGABYTE, MONTH_SECONDS, type PriceTable } from './prices/price-table';
import { priceSplit, type PriceRange, type PriceSplit } from './prices/price-split';
import { commandPollCount } from '../workflow/polling';

const HOSTS = 2;
/** Manifests, samples, row and result, with what is written and read again on the way to them. */
const OBJECTS_PER_MEASUREMENT = 12;
/** The chunk itself, and its rows for the live table. */
const WRITES_PER_CHUNK = 2;
const READS_PER_CHUNK = 2;

/** Per host: the tool's line and the counters of every second. */
const BYTES_PER_SECOND = 2_000;
/** Every round trip is stored. */
const BYTES_PER_MESSAGE = 40;
const RAW_STREAM_MONTHS = (RETENTION_DAYS.rawStreams * DAY_SECONDS) / MONTH_SECONDS;

/** States that the machines enter per poll of a command, and besides per measurement, pair and run. */
const TRANSITIONS = { perPoll: 5, perMeasurement: 16, perPair: { expected: 250, upper: 2_500 }, perRun: 60 } as const;

const LAMBDA = {
  perChunk: { gibibyteSeconds: 0.5, requests: 1 },
  perMeasurement: { gibibyteSeconds: 10, requests: 3 },
  perPair: { gibibyteSeconds: 20, requests: 20 },
  perRun: { gibibyteSeconds: 120, requests: 10 },
  /** A function that is retried is charged again. */
  upperFactor: 3,
} as const;

/** For the comparisons in the report. */
const QUERIES = { expected: 1, upper: 4 } as const;
/** What a query over all runs of an account may read; the partition of a day is far smaller. */
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
      (stored / GIGABYTE) * RAW_STREAM_MONTHS * prices.s3UsdPerGigabyteMonth,
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
