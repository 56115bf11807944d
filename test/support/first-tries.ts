/** What nine newcomers wrote first, each with mistakes of one kind, and the plan that each of them wanted. */
const TYPES = { clientType: 'c5.large', serverType: 'c5.large' };
const IPERF3 = { tool: 'iperf3', durationSeconds: 60 };

interface FirstTry {
  readonly written: object;
  readonly wanted: object;
}

export const FIRST_TRIES: Readonly<Record<string, FirstTry>> = {
  'a duty cycle on the measurement': {
    written: {
      name: 'bursts',
      pairs: [TYPES],
      measurements: [{ tool: 'iperf3', durationSeconds: 600, onSeconds: 10, offSeconds: 30 }],
    },
    wanted: {
      name: 'bursts',
      pairs: [TYPES],
      measurements: [{ tool: 'iperf3', durationSeconds: 600, dutyCycle: { onSeconds: 10, offSeconds: 30 } }],
    },
  },
  'the only pair at the top': {
    written: { name: 'one pair', ...TYPES, placement: 'cluster', measurements: [IPERF3] },
    wanted: { name: 'one pair', pairs: [{ ...TYPES, placement: 'cluster' }], measurements: [IPERF3] },
  },
  'a path for all pairs, and a duration for all measurements, at the top': {
    written: {
      name: 'by public address',
      pairs: [TYPES, { clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
      path: 'public',
      durationSeconds: 60,
      measurements: [{ tool: 'iperf3' }, { tool: 'sockperf' }],
    },
    wanted: {
      name: 'by public address',
      pairs: [
        { ...TYPES, path: 'public' },
        { clientType: 'c5.xlarge', serverType: 'c5.xlarge', path: 'public' },
      ],
      measurements: [IPERF3, { tool: 'sockperf', durationSeconds: 60 }],
    },
  },
  'fields of the plan on its pairs and measurements': {
    written: {
      name: 'repeated',
      pairs: [{ ...TYPES, concurrency: 2 }],
      measurements: [{ ...IPERF3, repetitions: 3, zoneRelation: 'other_zone' }],
    },
    wanted: {
      name: 'repeated',
      pairs: [{ ...TYPES, zoneRelation: 'other_zone' }],
      measurements: [IPERF3],
      concurrency: 2,
      repetitions: 3,
    },
  },
  'expectations in Gbit/s and minutes': {
    written: {
      name: 'expecting',
      pairs: [TYPES],
      measurements: [{ tool: 'iperf3', durationMinutes: 30 }],
      expect: [{ burstGbps: { min: 9 } }, { onsetMinutes: { min: 4 } }],
    },
    wanted: {
      name: 'expecting',
      pairs: [TYPES],
      measurements: [{ tool: 'iperf3', durationSeconds: 1800 }],
      expect: [{ burstBitsPerSecond: { min: 9e9 } }, { onsetSeconds: { min: 240 } }],
    },
  },
  'words of iperf3 and of other benchmarks': {
    written: {
      name: 'streams',
      pairs: [{ instanceType: 'c5.large' }],
      measurements: [{ tool: 'iperf', time: '60s', streams: 8, protocol: 'udp', bandwidth: '1 Gbps' }],
    },
    wanted: {
      name: 'streams',
      pairs: [TYPES],
      measurements: [{ ...IPERF3, parallelStreams: 8, protocol: 'udp', targetBitsPerSecond: 1e9 }],
    },
  },
  'words in place of objects and lists': {
    written: { name: 'short', pairs: ['c5.large'], measurements: { ...IPERF3, latencyProbe: true } },
    wanted: { name: 'short', pairs: [TYPES], measurements: [{ ...IPERF3, latencyProbe: {} }] },
  },
  'types as hosts, and numbers as texts': {
    written: {
      name: 'texts',
      pairs: [{ client: 'c5.large', server: 'c5.large' }],
      measurements: [{ tool: 'iperf3', durationSeconds: '1 min' }],
      repetitions: '3',
      maxCostUsd: '20',
    },
    wanted: { name: 'texts', pairs: [TYPES], measurements: [IPERF3], repetitions: 3, maxCostUsd: 20 },
  },
  'a name with a slash, a type that is misspelt, and limits that are too low': {
    written: {
      name: 'network/eu',
      pairs: [{ clientType: 'c5.xlage', serverType: 'c5.xlarge' }],
      measurements: [{ tool: 'iperf3', durationSeconds: 1800, stopAfterThrottledSeconds: 1800 }],
      repetitions: 2,
      maxInstances: 2,
      failOn: 'expectations',
    },
    wanted: {
      name: 'network-eu',
      pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
      measurements: [{ tool: 'iperf3', durationSeconds: 1800, stopAfterThrottledSeconds: 1799 }],
      repetitions: 2,
      maxInstances: 4,
    },
  },
};
