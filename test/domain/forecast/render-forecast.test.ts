import { forecastRun } from '../../../domain/forecast/forecast-run';
import type { ForecastInput } from '../../../domain/forecast/inputs';
import type { PlannedMeasurement, PlannedPair } from '../../../domain/model/planned-run';
import { renderForecast, type PlanWords } from '../../../domain/forecast/render-forecast';
import { offlinePlan } from '../../../bin/offline-plan';
import { formatWarning, planWarnings } from '../../../domain/forecast/warnings';
import { hostDeadlines } from '../../../domain/workflow/polling';
import { inputOf, pairOf, throughput } from '../../support/forecast';
import { typeFacts } from '../../support/planned-run';

function warnings(pairs: readonly PlannedPair[], settings: Partial<ForecastInput> = {}): string[] {
  return planWarnings(forecastRun(inputOf(pairs, settings)), pairs, { hasOwnImage, hasPrivateWayOut }).map(
    formatWarning,
  );
}

function render(
  pairs: readonly PlannedPair[],
  settings: Partial<ForecastInput> = {},
  { label = () => 'iperf3', width }: { label?: PlanWords['labelOf']; width?: number } = {},
): string {
  const words = { labelOf: label, isZoneRelationUnknown: () => false, hasOwnImage, hasPrivateWayOut };
  return renderForecast(forecastRun(inputOf(pairs, settings)), pairs, words, width);
}

const hasOwnImage = () => true;
const hasPrivateWayOut = () => undefined;

function withDuration(instanceType: string, durationSeconds: number): PlannedPair {
  return pairOf(instanceType, { measurements: [throughput({ durationSeconds })] });
}

describe('warnings', () => {
  test('a measurement that ends before the throttle', () => {
    expect(warnings([withDuration('c5.2xlarge', 300)])).toEqual([
      'plan.measurements[0].durationSeconds: 300 s is too short to show the throttle of c5.2xlarge, expected at 1059 s (1106 s is long enough)',
    ]);
    expect(warnings([withDuration('m7g.large', 1800)])).toEqual([
      'plan.measurements[0].durationSeconds: 1800 s may be too short to show the throttle of m7g.large, expected at 300 to 3600 s (3620 s is long enough)',
    ]);
    const one = { parallelStreams: 1, durationSeconds: 1800 };
    const [oneFlow] = warnings([pairOf('m5.2xlarge', { measurements: [throughput(one)] })]);
    expect(oneFlow).toMatch(
      /of m5\.2xlarge, expected at 900 to 10800 s \(even 7200 s, the longest duration, may be too short\)$/,
    );
    expect(warnings([withDuration('c5.2xlarge', 1800), withDuration('c5.18xlarge', 60)])).toEqual([]);
  });

  test('a measurement with too few samples for a verdict', () => {
    const tooFew =
      'plan.measurements[0].durationSeconds: 20 s of traffic is too short for a verdict, which needs 45 samples, one per second';
    expect(warnings([withDuration('c5.18xlarge', 20)])).toEqual([tooFew]);
    expect(warnings([withDuration('c5.18xlarge', 44)])).toHaveLength(1);
    expect(warnings([withDuration('c5.18xlarge', 45)])).toEqual([]);
    const dutyCycle = { onSeconds: 10, offSeconds: 30 };
    const paused = pairOf('c5.18xlarge', { measurements: [throughput({ durationSeconds: 80, dutyCycle })] });
    expect(warnings([paused])).toEqual([tooFew]);
    const ofPackets = throughput({ durationSeconds: 20, mode: 'packets', protocol: 'udp', datagramBytes: 18 });
    expect(warnings([pairOf('c5.18xlarge', { measurements: [ofPackets] })]).join()).not.toContain('too short');
  });

  test("what the account's own networks cost, which is not in the price", () => {
    const image = undefined;
    const ends = { client: { publicAddress: true, image }, server: { publicAddress: false, image } };
    expect(warnings([{ ...pairOf('c5.18xlarge'), path: 'own', ends }])).toEqual([
      'plan.pairs[0]: hosts without a public address reach Systems Manager and S3 through a NAT gateway or interface ' +
        'endpoints; the charges for these, by the hour and by volume, are not in the price',
      "plan.pairs[0].path: the route between the hosts is the account's own: charges for traffic through a transit " +
        'gateway, firewall or the like are not in the price',
    ]);
  });

  test.each([
    ['the client and the server', {}, {}],
    ['the client', {}, { imageId: 'ami-0123456789abcdef0' }],
    ['the server', { imageId: '/network-benchmark/images/x86_64' }, { imageId: '/aws/service/canonical/ubuntu' }],
    ['the server', { publicAddress: true }, {}],
    [undefined, { imageId: 'ami-0123456789abcdef0' }, { publicAddress: true }],
  ])('a private host whose image lacks the tools: %s', (named, client, server) => {
    const ends = { client: { publicAddress: false, ...client }, server: { publicAddress: false, ...server } };
    const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
    const { forecastText } = offlinePlan({
      name: 'private',
      pairs: [{ ...types, ...ends }],
      measurements: [{ tool: 'ping' }],
    });
    const found = /^plan\.pairs\[0\]: (the .*) would install the tools from Ubuntu's mirror, .*NAT gateway/m.exec(
      forecastText,
    );
    expect(found?.[1]).toBe(named);
  });

  test('hosts of bare metal, by their place in the plan', () => {
    const metal = { ...pairOf('c5.metal', { hostDeadlines: hostDeadlines(true) }), clientType: 'c5.18xlarge' };
    expect(warnings([metal])).toEqual([
      'plan.pairs[0].serverType: c5.metal is bare metal: its start can take over 20 minutes, which EC2 charges for, ' +
        'and the pair waits up to 45 minutes for it; its shutdown can take as long, is free, and the pair waits up to ' +
        '45 minutes for it',
    ]);
  });

  test('standard CPU credits of a type that gets none at its launch', () => {
    const held =
      'gets no CPU credits at launch: with standard credits it runs at its baseline (a fraction of each vCPU) from ' +
      'boot on, so the run measures only that';
    const pair = { ...pairOf('t3.micro', { clientCpuCredits: 'unlimited' }), serverType: 't4g.micro' };
    expect(warnings([{ ...pair, serverCpuCredits: 'standard' }])).toContain(
      `plan.pairs[0].serverCpuCredits: t4g.micro ${held}`,
    );
    for (const harmless of [pair, { ...pair, serverType: 't2.micro', serverCpuCredits: 'standard' as const }]) {
      expect(warnings([harmless]).join('\n')).not.toContain('CpuCredits');
    }
  });

  test.each([
    ['messages', { messageBytes: 16_384 }, {}, 'messageBytes', 2, 512],
    ['messages by public address', { messageBytes: 16_384 }, { path: 'public' }, 'messageBytes', 12, 85],
    ['messages at a higher rate', { messageBytes: 16_384, messagesPerSecond: 600 }, {}, 'messageBytes', 2, 512],
    ['datagrams', { datagramBytes: 9_000, targetBitsPerSecond: 1e9 }, {}, 'datagramBytes', 2, 512],
  ] as const)('%s that are sent in more fragments than EC2 lets out', (_, load, conditions, key, fragments, most) => {
    const pair = pairOf('m5.large', { ...conditions, measurements: [throughput({ protocol: 'udp', ...load })] });
    const found = warnings([pair]).filter((warning) => warning.includes('fragments'));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(`plan.measurements[0].${key}: a `);
    expect(found[0]).toMatch(`is sent in ${fragments} IP fragments`);
    expect(found[0]).toMatch(`EC2 lets an interface send 1024 fragments a second (ENA driver guide): that is ${most} `);
  });

  test.each([
    ['TCP cuts messages into segments', { protocol: 'tcp', messageBytes: 16_384 }],
    ['a message fits into a packet', { protocol: 'udp', messageBytes: 8_900 }],
    ['few enough are sent', { protocol: 'udp', messageBytes: 16_384, messagesPerSecond: 500 }],
    [
      'few enough echoes are sent',
      { protocol: undefined, messageBytes: 16_384, packetCount: 100, durationSeconds: 20 },
    ],
    ['few enough datagrams are sent', { protocol: 'udp', datagramBytes: 9_000, targetBitsPerSecond: 30e6 }],
    ['it is not applicable', { protocol: 'udp', messageBytes: 16_384, notApplicable: 'no such thing' }],
  ] as const)('no fragments are warned of where %s', (_, load) => {
    const found = warnings([pairOf('m5.large', { measurements: [throughput({ ...load })] })]);
    expect(found.filter((warning) => warning.includes('fragments'))).toEqual([]);
  });

  test('UDP towards a slower receiver, of which the forecast counts what is sent', () => {
    const udp = throughput({ protocol: 'udp', parallelStreams: 16, targetBitsPerSecond: 20e9 });
    const slower = { ...pairOf('c5.18xlarge', { measurements: [udp] }), serverType: 'c5.2xlarge' };
    expect(warnings([slower])).toEqual([
      'plan.measurements[0].protocol: UDP does not slow down for its receiver: volume and price include all traffic ' +
        'that is sent, at most 20.0 Gbit/s, even if it does not arrive',
    ]);
    expect(warnings([pairOf('c5.18xlarge', { measurements: [udp] })])).toEqual([]);
  });

  test('flows that can’t reach the peak', () => {
    const one = pairOf('c5.18xlarge', { measurements: [throughput({ parallelStreams: 1, planMeasurementIndex: 3 })] });
    expect(warnings([one])).toEqual([
      'plan.measurements[3].parallelStreams: 1 flow is capped at 5.00 Gbit/s, below the peak of 25.0 Gbit/s',
    ]);
    const target = throughput({ parallelStreams: 1, targetBitsPerSecond: 1e9 });
    expect(warnings([pairOf('c5.18xlarge', { measurements: [target] })])).toEqual([]);
  });

  test('what is unknown', () => {
    const instanceTypes = { 'm9.old': typeFacts('m9.old') };
    expect(warnings([pairOf('m9.old')], { instanceTypes })).toEqual([
      'plan.measurements[0].durationSeconds: it is unknown when the throttle comes: no bandwidth is published for m9.old',
      'plan.prices.instanceUsdPerHour: m9.old has no price, so the cost of the run is unknown',
    ]);
  });

  test('a measurement that is not applicable, and the pair of the plan', () => {
    const pair = pairOf('c5.large', {
      planPairIndex: 2,
      measurements: [throughput({ notApplicable: 'no such path' })],
    });
    expect(warnings([pair])).toEqual(['plan.measurements[0]: not applicable on plan.pairs[2]: no such path']);
  });

  test('appear once, however often a pair is repeated', () => {
    expect(warnings(Array<PlannedPair>(30).fill(withDuration('c5.2xlarge', 300)))).toHaveLength(1);
  });
});

describe('the text', () => {
  const across = pairOf('c5.2xlarge', { zoneRelation: 'other_zone' });

  test('has a line for each measurement, the price by its parts, and the warnings', () => {
    const lines = render([across, pairOf('c5.large', { planPairIndex: 1 })]).split('\n');
    expect(lines[0]).toMatch(
      /^client → server +where +measurement +documented baseline to burst Gbit\/s +burst lasts +expected Gbit\/s +seen +GB +GB at most +USD +USD at most$/,
    );
    expect(lines[1]).toMatch(
      /^c5.2xlarge → c5.2xlarge +other zone, private +iperf3 +2.50 to 10.0 +1059 s \(public recordings\) +9.69, then 2.51 +yes +1\u202f515 +2\u202f250 +30.\d\d +45.\d\d$/,
    );
    expect(lines[2]).toMatch(/^c5.large → c5.large  +same zone, private +iperf3/);
    expect(lines.find((line) => line.startsWith('cross zone traffic'))).toMatch(/ 30\.30 +45\.00$/);
    expect(lines.find((line) => line.startsWith('total'))).toMatch(/ \d+\.\d\d +\d+\.\d\d$/);
    expect(lines.join('\n')).toContain('2 of 2 pairs would be launched. The prices are list prices in us-east-1');
    expect(lines.join('\n')).toContain('. "At most" assumes that every command and wait takes its whole time limit, ');
  });

  test.each([
    [{ clientCpuCredits: 'standard', serverCpuCredits: 'standard' }, 'standard CPU credits'],
    [{ clientCpuCredits: 'unlimited' }, 'client with unlimited CPU credits'],
    [
      { clientCpuCredits: 'standard', serverCpuCredits: 'unlimited' },
      'client with standard CPU credits, server with unlimited CPU credits',
    ],
  ] as const)('says which CPU credits the hosts have: %j', (credits, words) => {
    const [, line] = render([pairOf('t3.micro', credits)]).split('\n');
    expect(line).toMatch(new RegExp(`^t3.micro → t3.micro  +same zone, private, ${words}  +iperf3`));
  });

  test.each([100, 80])('in %d columns has the type, how long the burst lasts and what is left after it', (width) => {
    const label = ({ parallelStreams }: PlannedMeasurement) =>
      `iperf3 TCP, ${parallelStreams} streams, forward, 1 h 15 min, 8 000 bytes a message`;
    const measurements = [1, 8].map((parallelStreams, planMeasurementIndex) =>
      throughput({ parallelStreams, planMeasurementIndex }),
    );
    const pairs = [pairOf('c5.2xlarge', { zoneRelation: 'other_zone', measurements })];
    const [headings, ...rows] = render(pairs, {}, { label, width }).split('\n');
    expect(headings).toMatch(/^types +(?:where +)?measurement +burst lasts +expected Gbit\/s/);
    expect(rows[0]).toMatch(/^c5.2xlarge (?: .*private)? +iperf3 TCP, 1 streams +3052 s +5.00, then 2.51/);
    expect(rows[1]).toMatch(/^c5.2xlarge(?: .*private)? +iperf3 TCP, 8 streams +1059 s +9.69, then 2.51/);
    expect(rows.slice(2).join(' ')).toMatch(/not shown, for want of width: .*documented baseline/);
  });

  test('sums repetitions in one line', () => {
    const [, once] = render([across]).split('\n');
    const [, thrice, after] = render([across, across, across]).split('\n');
    expect(thrice).toMatch(/ iperf3 ×3 .* 4\u202f545 +6\u202f750 /);
    expect(after).toMatch(/^start and end of the hosts, storage, report +0\.\d\d +\d\.\d\d$/);
    expect(once).not.toContain('×3');
  });

  test('has one line for the private hosts of several pairs', () => {
    const end = { publicAddress: false };
    const pairs = [0, 1, 2].map((planPairIndex) =>
      pairOf('c5.large', { planPairIndex, ends: { client: end, server: end } }),
    );
    const lines = render(pairs).split('\n');
    expect(lines.filter((line) => line.includes('hosts without a public address'))).toEqual([
      expect.stringMatching(/^plan\.pairs\[0 to 2\]: /),
    ]);
  });

  test('has one line for the same warning about several measurements', () => {
    const measurements = [0, 1, 2].map((planMeasurementIndex) =>
      throughput({ planMeasurementIndex, durationSeconds: 60 }),
    );
    expect(
      render([pairOf('c5.2xlarge', { measurements })])
        .trimEnd()
        .split('\n')
        .slice(-2),
    ).toEqual([
      '',
      'plan.measurements[0 to 2].durationSeconds: 60 s is too short to show the throttle of c5.2xlarge, expected at ' +
        '1059 s (1106 s is long enough)',
    ]);
  });

  test('has one line for the throttles of several types, and names measurements that are not neighbours', () => {
    const measurements = [0, 2, 3].map((planMeasurementIndex) =>
      throughput({ planMeasurementIndex, durationSeconds: 60 }),
    );
    const pairs = ['c5.2xlarge', 'c5.large'].map((type, planPairIndex) =>
      pairOf(type, { planPairIndex, measurements }),
    );
    expect(render(pairs).trimEnd().split('\n').at(-1)).toBe(
      'plan.measurements[0, 2, 3].durationSeconds: 60 s is too short to show the throttle of c5.2xlarge, expected at ' +
        '1059 s (1106 s is long enough); c5.large, expected at 278 s (304 s is long enough)',
    );
  });

  const cents = (line: string, column: number) => Math.round(100 * Number(line.trim().split(/ {2,}/).at(column)));
  const sumOf = (lines: readonly string[], column: number) =>
    lines.reduce((total, line) => total + cents(line, column), 0);

  test.each([['t3.micro'], ['c5.18xlarge']])(
    'has rows, and parts of the price, that add up to the total: %s',
    (type) => {
      const pairs = [60, 700, 1800].map((durationSeconds, planMeasurementIndex) =>
        pairOf(type, { measurements: [throughput({ durationSeconds, planMeasurementIndex })] }),
      );
      const [table, prices] = render(pairs).split('\n\n');
      const rows = table!.split('\n').slice(1);
      const parts = prices!.split('\n').slice(1);
      expect(rows).toHaveLength(4);
      for (const column of [-2, -1]) {
        const total = cents(parts.at(-1)!, column);
        expect(total).toBeGreaterThan(0);
        expect([sumOf(rows, column), sumOf(parts.slice(0, -1), column)]).toEqual([total, total]);
      }
    },
  );

  test('has unknown instead of 0 for an unknown figure', () => {
    const instanceTypes = { 'm9.old': typeFacts('m9.old') };
    const text = render([pairOf('m9.old', { zoneRelation: 'other_zone' })], { instanceTypes });
    expect(text).toMatch(/unknown to unknown +unknown +unknown +unknown +unknown +9\u202f000 +unknown +unknown/);
    expect(text).toMatch(/^total +unknown +unknown$/m);
    expect(text).toMatch(/^cross zone traffic +unknown +180\.00$/m);
  });

  test('shows what is not applicable', () => {
    const pair = pairOf('c5.large', { measurements: [throughput({ notApplicable: 'no such path' })] });
    expect(render([pair]).split('\n')[1]).toMatch(/^c5.large → c5.large  +same zone, private +iperf3 +not applicable$/);
    expect(render([pair])).toContain('0 of 1 pair');
  });
});
