/** The columns of a measurement's verdict, and of the evidence that it rests on. */
import { CAUSES, VERDICT_KINDS, type LatencyVerdict, type Verdict } from '../model/verdict';
import { HOLD_KINDS, holdOf, holdSecondsOf, RATE_BOUNDS, sustainedRate } from '../model/carried-rate';
import type { MeasurementResult } from '../model/result';
import { verdictToJson } from '../model/verdict-json';
import { column, fieldColumns, type ColumnOf } from './column';

const EXAMINED_CAUSES = 'array<struct<cause:string,standing:string,reason:string>>';

type MeasurementColumns = readonly ColumnOf<MeasurementResult>[];

const LOWER = 'Lower end of its 95 % interval';
const UPPER = 'Upper end of its 95 % interval';

/** A measurement has at most one of these verdicts, depending on what it measured. */
function judgementOf({ verdict, packetVerdict, latencyVerdict }: MeasurementResult): Judgement | undefined {
  return verdict ?? packetVerdict ?? latencyVerdict;
}

/** A verdict on round trips has neither a kind nor a confidence, and its causes are its witnesses. */
type Judgement = Pick<LatencyVerdict, 'cause' | 'explanation'> &
  Partial<Pick<Verdict, 'kind' | 'confidence' | 'witnesses'>>;

/** Where both directions were driven at once: the main facts of the direction that is not in `verdict_direction`. */
const otherVerdictColumns = fieldColumns(
  ({ otherDirection }: MeasurementResult) => otherDirection && verdictToJson(otherDirection),
  {
    kind: ['string', 'what happened', 'verdict_kind'],
    cause: ['string', 'why it happened', 'verdict_cause'],
    direction: ['string', 'forward or reverse', 'verdict_direction'],
    onsetSeconds: ['double', 'throttle onset, from the start of the load'],
    burstBitsPerSecond: ['double', 'level before the onset'],
    baselineBitsPerSecond: ['double', 'level after the onset'],
    bucketBits: ['double', 'traffic above the baseline that the credits allowed'],
    throttledBy: ['string', 'whose credits ran out, sender or receiver'],
    throttledBucket: ['string', 'outbound or inbound'],
    explanation: ['string', 'the verdict in one sentence'],
    causes: [EXAMINED_CAUSES, 'every cause that was examined', 'examined_causes'],
  },
).map((each) => ({ ...each, name: `other_${each.name}`, comment: `Other direction of both: ${each.comment}` }));

export const verdictColumns: MeasurementColumns = [
  // These columns are filled for every kind of verdict.
  ...fieldColumns(judgementOf, {
    kind: ['string', `What happened: ${VERDICT_KINDS.join(', ')}`, 'verdict_kind'],
    cause: ['string', `Why: ${CAUSES.join(', ')}; NULL: needs none`, 'verdict_cause'],
    confidence: ['double', '0 to 1; NULL for insufficient, which claims nothing'],
    explanation: ['string', 'The verdict in one sentence'],
  }),
  ...fieldColumns(({ verdict }: MeasurementResult) => verdict && verdictToJson(verdict), {
    direction: ['string', 'Driven direction that the verdict is on', 'verdict_direction'],
    onsetSeconds: ['double', 'Throttle onset, from the start of the load'],
    onsetLowSeconds: ['double', LOWER],
    onsetHighSeconds: ['double', UPPER],
    burstBitsPerSecond: ['double', 'Level before the onset'],
    burstLowBitsPerSecond: ['double', LOWER],
    burstHighBitsPerSecond: ['double', UPPER],
    baselineBitsPerSecond: ['double', 'Level after the onset'],
    baselineLowBitsPerSecond: ['double', LOWER],
    baselineHighBitsPerSecond: ['double', UPPER],
    bucketBits: ['double', 'Traffic above the baseline that the credits allowed'],
    bucketLowBits: ['double', LOWER],
    bucketHighBits: ['double', UPPER],
    bucketBitsAtLeast: ['double', 'The same where no drop was seen: a lower bound'],
    refillSeconds: ['double', 'From empty credits to full ones while nothing is sent'],
    refillLowSeconds: ['double', `${LOWER}; of bucket_bits_at_least where no drop was seen`],
    refillHighSeconds: ['double', `${UPPER}; NULL without one`],
    throttledBy: [
      'string',
      'Whose credits ran out: sender or receiver (forward, the client sends); NULL if nobody can say',
    ],
    throttledBucket: ['string', "Which of that host's credits: outbound or inbound"],
  }),
  // Sustained rates and hold times, from `model/carried-rate.ts`.
  ...fieldColumns(sustainedRate, {
    value: [
      'double',
      'What is left when no credits are, within sustained_bound; NULL where not known',
      'sustained_bits_per_second',
    ],
    bound: [
      'string',
      `Of sustained_bits_per_second: ${RATE_BOUNDS.join(', ')}; at_most above the published baseline, at_least where the load offered no more`,
      'sustained_bound',
    ],
  }),
  ...[1, 2, 5, 10].flatMap(heldColumns),
  ...otherVerdictColumns,
];

function heldColumns(gbits: number): MeasurementColumns {
  const held = (result: MeasurementResult) => holdOf(result, gbits * 1e9);
  return [
    ...fieldColumns(held, {
      kind: [
        'string',
        `Whether full credits hold ${gbits} Gbit/s: ${HOLD_KINDS.join(', ')}; NULL where not known`,
        `held_${gbits}_gbit`,
      ],
    }),
    column(
      `held_${gbits}_gbit_seconds`,
      'double',
      `How long full credits hold ${gbits} Gbit/s: a lower bound where held_${gbits}_gbit is at_least, 0 where never, NULL where always or not known`,
      (result) => {
        const hold = held(result);
        return hold === undefined || hold.kind === 'always' ? undefined : holdSecondsOf(hold);
      },
    ),
  ];
}

const packetInterval = (
  figure: 'onset' | 'burst' | 'baseline',
  comment: string,
  [start, unit]: readonly [string, string] = [figure, 'packets_per_second'],
) =>
  fieldColumns(({ packetVerdict }: MeasurementResult) => packetVerdict?.[figure], {
    value: ['double', comment, `${start}_${unit}`],
    low: ['double', LOWER, `${start}_low_${unit}`],
    high: ['double', UPPER, `${start}_high_${unit}`],
  });

/** Columns that only verdicts on packets per second or on round trips have. */
export const otherKindsColumns: MeasurementColumns = [
  ...fieldColumns(({ packetVerdict }: MeasurementResult) => packetVerdict, {
    limitedBy: [
      'string',
      'The end that was the limit: sender or receiver (forward, the client sends)',
      'packets_limited_by',
    ],
  }),
  ...packetInterval('onset', 'When the packets fell to the baseline, from the start of the load', [
    'packet_onset',
    'seconds',
  ]),
  ...packetInterval('burst', 'Packets per second before the onset'),
  ...packetInterval('baseline', 'Packets per second after the onset, or all the time without one'),
  ...fieldColumns(({ latencyVerdict }: MeasurementResult) => latencyVerdict, {
    limitedBy: [
      'string',
      'The host that held round trips back: client or server; NULL if none did',
      'round_trips_limited_by',
    ],
  }),
];

export const evidenceColumns: MeasurementColumns = [
  column(
    'examined_causes',
    EXAMINED_CAUSES,
    'Every cause that was examined: shown, ruled_out, possible or not_read',
    ({ verdict, latencyVerdict }) =>
      (verdict ?? latencyVerdict)?.causes.map(({ cause, standing, reason }) => ({ cause, standing, reason })),
  ),
  column(
    'witnesses',
    'array<struct<name:string,agrees:boolean,detail:string>>',
    'Evidence; agrees is NULL if neutral',
    (result) => judgementOf(result)?.witnesses?.map(({ name, agrees, detail }) => ({ name, agrees, detail })),
  ),
  column('warnings', 'array<string>', 'What a reader of the figures should know', ({ warnings }) => warnings),
];
