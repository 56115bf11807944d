/** Whether the detector is as often right as the confidence that it states. */
import { predict, type LabelledSeries } from './prediction';

/** What of a label decides whether an answer is right. */
export interface Labelled extends Pick<LabelledSeries, 'id' | 't' | 'bps' | 'dt'> {
  readonly throttled: boolean;
  /** Absent where the series has no throttle, or where it is not known when the throttle came. */
  readonly onsetSeconds?: number;
  readonly gapAtOnsetSeconds?: number;
}

/** A recording in the form of `test/fixtures/real-world`. */
export interface Recording extends Pick<LabelledSeries, 'id' | 't' | 'bps' | 'dt'> {
  readonly set: 'uta' | 'skyrise' | 'network' | 'cellular';
  readonly throttled: boolean;
  readonly onset?: number;
}

export interface Band {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The ends belong to the band above. */
const BANDS: readonly Band[] = [
  { name: '.9 and more', from: 0.9, to: Infinity },
  { name: '.7 to .9', from: 0.7, to: 0.9 },
  { name: 'under .7', from: 0, to: 0.7 },
];

export interface Calibration {
  readonly said: number;
  readonly right: number;
}

const PLACED_WITHIN_SECONDS = 15;

export function ofBenchmark({ truth, ...series }: LabelledSeries): Labelled {
  const { throttled, onset_s: onsetSeconds, gap_at_onset_s: gapAtOnsetSeconds } = truth;
  return { ...series, throttled, onsetSeconds, gapAtOnsetSeconds };
}

export function ofRecording({ onset, ...recording }: Recording): Labelled {
  return { ...recording, onsetSeconds: onset };
}

/**
 * An answer is right if it says rightly whether the series is throttled, and places the onset, where it is known,
 * within 15 s. An answer without confidence claims nothing, and is not counted.
 */
export function calibrate(labelled: readonly Labelled[]): ReadonlyMap<string, Calibration> {
  const answers = labelled.map((series) => {
    const { throttled, onset_s: onset, confidence } = predict(series);
    const missed = Math.abs((onset ?? 0) - (series.onsetSeconds ?? onset ?? 0)) - (series.gapAtOnsetSeconds ?? 0);
    return { confidence, isRight: throttled === series.throttled && (!throttled || missed <= PLACED_WITHIN_SECONDS) };
  });
  return new Map(
    BANDS.map(({ name, from, to }) => {
      const said = answers.filter(({ confidence }) => confidence !== null && from <= confidence && confidence < to);
      return [name, { said: said.length, right: said.filter(({ isRight }) => isRight).length }];
    }),
  );
}
