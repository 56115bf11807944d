import { classifySeries } from '../../../domain/detection/index';
import { rateIntervals } from '../../../domain/detection/prediction';
import type { Recording } from '../../support/calibration';
import { fixturePath, readLines } from '../../support/fixtures';

const RECORDINGS = readLines<Recording>(fixturePath('real-world/series.jsonl.gz'));
const throttleOf = (recording: Recording) => classifySeries(rateIntervals(recording)).throttle;

describe('the detector on unmodified recordings', () => {
  test.each(RECORDINGS.filter(({ throttled }) => throttled).map((recording) => [recording.id, recording] as const))(
    'finds the throttle of %s',
    (_, recording) => {
      const throttle = throttleOf(recording);
      expect(throttle).not.toBeNull();
      if (recording.onset !== undefined) {
        expect(Math.abs((throttle?.onset.value ?? NaN) - recording.onset)).toBeLessThanOrEqual(0.05);
      }
    },
  );

  test('calls 1 of the 79 recordings without a bucket throttled', () => {
    const called = RECORDINGS.filter((recording) => !recording.throttled && throttleOf(recording) !== null);
    expect(called.map(({ id }) => id)).toEqual([
      // Encryption falls from 5.5 to 2.5 Gbit/s at once and stays there, which no sample tells from a throttle.
      'InfraBuilder+benchmark-k8s-cni-2024-01|results_antrea-ipsec_2_sus-server.stdout',
    ]);
  });
});
