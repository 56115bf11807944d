/** What `fit` says of each trace on standard input, for `replay-traces.py`: when a type with this bucket is throttled. */
import { readFileSync } from 'node:fs';
import { PUBLISHED_TYPES } from '../bin/published-types';
import { examinedTypes } from '../domain/fit/examined-type';
import { readTrace } from '../domain/fit/traces/read-trace';
import { traceOf } from '../domain/fit/traces/trace';
import { fitTypes } from '../domain/fit/type-fit';
import { elementAt } from '../domain/maths/elements';

type Replay = Readonly<Record<'baseline' | 'peak' | 'bucket', number> & { csv: string }>;

function answerTo({ csv, baseline, peak, bucket }: Replay) {
  const type = { ...elementAt(PUBLISHED_TYPES, 0), baselineBitsPerSecond: baseline, peakBitsPerSecond: peak };
  const measured = { ...type, burstBitsPerSecond: peak, bucketBits: bucket, measurementCount: 1 };
  const { examined } = examinedTypes([type], { instanceUsdPerHour: {} }, [measured]);
  const [fit] = fitTypes(traceOf(readTrace(csv)), examined);
  const first = fit?.series[0].firstThrottleSeconds;
  // JSON has no Infinity: null is a throttle that may never come.
  return { throttled: fit?.throttled, low: first?.low ?? null, value: first?.value ?? null, high: first?.high ?? null };
}

console.log(JSON.stringify((JSON.parse(readFileSync(0, 'utf8')) as Replay[]).map(answerTo)));
