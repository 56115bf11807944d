import { describe, expect, test } from '@jest/globals';
import type { PairHosts } from '../../domain/workflow/contracts';
import { pairHostsKey, planKey, probedPathKey } from '../../domain/workflow/object-keys';
import { makeConnectPair } from '../../lambdas/connect-pair/connect-pair';
import type { ConnectPairDependencies } from '../../lambdas/connect-pair/connecting';
import { awsError, FakeEc2 } from '../support/fake-ec2';
import { FakeLoadBalancers } from '../support/fake-load-balancers';
import { FakeStore } from '../support/fake-store';
import { plannedRun, RUN_ID } from '../support/planned-run';

const PAIR_GROUP = 'sg-of-network-benchmark-run-1-p0001';
const LOAD_BALANCER_GROUP = `${PAIR_GROUP}-load-balancer`;
const TAGS = {
  'network-benchmark:stack': 'TheStack',
  'network-benchmark:run-id': 'run-1',
  'network-benchmark:pair-id': 'p0001',
};

const host = (instanceId: string, privateIp: string) => ({
  instanceId,
  instanceType: 'c5.xlarge',
  zone: 'eu-test-1a',
  subnetId: 'subnet-a',
  imageId: 'ami-x86',
  privateIp,
});

async function setUp(path: string, overrides: Partial<ConnectPairDependencies> = {}, plan: object = {}) {
  const store = new FakeStore();
  const ec2 = new FakeEc2();
  const elb = new FakeLoadBalancers();
  const run = plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', path }], ...plan });
  store.putJson(planKey(RUN_ID), run);
  const securityGroupId = await ec2.createSecurityGroup({
    name: 'network-benchmark-run-1-p0001',
    description: '',
    vpcId: 'vpc-1',
    tags: TAGS,
  });
  const hosts: PairHosts = {
    runId: RUN_ID,
    pairId: 'p0001',
    launchedAt: '2026-11-20T10:00:00.000Z',
    client: host('i-client', '10.0.0.2'),
    server: host('i-server', '10.0.0.1'),
    securityGroupId,
  };
  store.putJson(pairHostsKey(RUN_ID, 'p0001'), hosts);
  const deps: ConnectPairDependencies = {
    bucketName: 'results',
    payloadBucketName: 'payload',
    stackName: 'TheStack',
    vpcId: 'vpc-1',
    store: store.adapter,
    publicAddresses: async (ids) => ids.map((id) => (id === 'i-client' ? '203.0.113.2' : '203.0.113.1')),
    ...ec2,
    ...elb,
    log: () => undefined,
    ...overrides,
  };
  const handler = makeConnectPair(deps);
  const request = { runId: RUN_ID, pairIndex: 0 };
  return {
    connectPair: () => handler(request),
    judge: (probeOutput: string) => handler({ ...request, probeOutput }),
    ec2,
    elb,
    store,
    run,
  };
}

/** What the measurements of a connected pair are sent to. */
function addresses(response: Awaited<ReturnType<ReturnType<typeof makeConnectPair>>>): string[] {
  if (!response.ready) throw new Error(`must be ready, waits for ${response.waitingFor}`);
  return response.measurements.map(({ measure }) => measure.parameters.ServerAddress![0]);
}

describe.each(['private', 'peering'])('path %s', (path) => {
  test('is connected at once by the private address, and creates nothing', async () => {
    const { connectPair, ec2, elb } = await setUp(path);

    expect(addresses(await connectPair())).toEqual(['10.0.0.1', '10.0.0.1']);
    expect(ec2.securityGroups.get(PAIR_GROUP)!.sources).toEqual([]);
    expect(elb.loadBalancers.size).toBe(0);
  });
});

test('returns the commands of each measurement that can be made', async () => {
  const { connectPair, store, run } = await setUp('private');
  const [pair] = run.pairs;
  store.putJson(planKey(RUN_ID), {
    ...run,
    pairs: [{ ...pair!, measurements: [{ ...pair!.measurements[0]!, notApplicable: 'no' }, pair!.measurements[1]!] }],
  });

  const response = await connectPair();

  const parameters = {
    RunId: ['run-1'],
    PairId: ['p0001'],
    BucketName: ['results'],
    MeasurementId: ['p0001-m02'],
    Port: ['5202'],
    DurationSeconds: ['60'],
  };
  expect(response).toMatchObject({
    ready: true,
    measurements: [
      {
        measurementId: 'p0001-m02',
        measurementIndex: 1,
        serve: { document: 'serve-iperf3', parameters },
        measure: { document: 'measure-iperf3', parameters: { ...parameters, ServerAddress: ['10.0.0.1'] } },
      },
    ],
  });
  expect(response).toHaveProperty('measurements.length', 1);
});

describe('path own', () => {
  const ROUTE = [
    ' 1?: [LOCALHOST]                      pmtu 9001',
    ' 1:  10.0.0.5                                              0.082ms pmtu 8500',
    ' 2:  no reply',
    ' 3:  10.0.0.1                                              0.412ms reached',
    '     Resume: pmtu 8500 hops 3 back 3',
    '',
  ].join('\n');
  const CUT_OFF = ROUTE.split('\n').slice(0, 3).join('\n');
  const PROBE = {
    probedAt: '2026-11-20T10:01:00.000Z',
    answer: 'refused',
    attempts: 1,
    seconds: 0.003,
    problem: null,
    route: ROUTE,
    routeProblem: null,
  };
  const NOTHING = { ...PROBE, answer: null, attempts: 3, seconds: 15.02, problem: 'no answer', route: CUT_OFF };

  async function probed(probe: object) {
    const made = await setUp('private');
    const { store, run } = made;
    store.putJson(planKey(RUN_ID), { ...run, pairs: run.pairs.map((pair) => ({ ...pair, path: 'own' })) });
    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    store.putJson(pairHostsKey(RUN_ID, 'p0001'), {
      ...hosts,
      server: { ...hosts.server, subnetId: 'subnet-b' },
      securityGroupIds: { client: 'sg-client', server: 'sg-server' },
    });
    const output = `${JSON.stringify(probe)}\n{"status":"complete","exitCode":0,"reason":""}\n`;
    return { ...made, judged: made.judge(output), path: () => store.json(probedPathKey(RUN_ID, 'p0001')) };
  }

  test('keeps what the probe found, and is connected by the private address', async () => {
    const { judged, connectPair, path } = await probed(PROBE);

    expect(addresses(await judged)).toEqual(['10.0.0.1', '10.0.0.1']);
    expect(addresses(await connectPair())).toEqual(['10.0.0.1', '10.0.0.1']);
    expect(path()).toEqual({
      runId: RUN_ID,
      pairId: 'p0001',
      probedAt: '2026-11-20T10:01:00.000Z',
      from: { address: '10.0.0.2', subnetId: 'subnet-a' },
      to: { address: '10.0.0.1', subnetId: 'subnet-b', port: 5201 },
      answer: 'refused',
      attempts: 1,
      seconds: 0.003,
      problem: null,
      pathMtuBytes: 8500,
      hopCount: 3,
      lastHop: { hop: 3, address: '10.0.0.1' },
      route: ROUTE.trimEnd().split('\n'),
      routeProblem: null,
    });
  });

  test('fails where nothing arrives, and says what was tried and where to look', async () => {
    const { judged, path } = await probed(NOTHING);

    await expect(judged).rejects.toMatchObject({
      name: 'ConnectFailedError',
      message:
        'nothing arrives from 10.0.0.2 in subnet-a at 10.0.0.1 port 5201 in subnet-b: 3 TCP connections in 15 s failed ' +
        '(no answer), and the last hop that answered tracepath was 10.0.0.5 (hop 1). Check the routes and the network ' +
        "ACLs of both subnets, and any firewall between them. The server's security group, sg-server, lets the " +
        'client in only with its own address, 10.0.0.2: a NAT or proxy on the way that changes the address blocks the ' +
        'traffic',
    });
    const kept = path() as Record<string, unknown>;
    expect(kept).toMatchObject({ answer: null, lastHop: { hop: 1, address: '10.0.0.5' } });
    // The packet size on the way to a hop is not that of the way to the server.
    expect(kept).not.toHaveProperty('pathMtuBytes');
  });

  test.each([
    [{ ...NOTHING, route: '', routeProblem: 'tracepath is not installed' }, 'tracepath is not installed'],
    [{ ...NOTHING, route: ' 1:  no reply\n' }, 'no hop answered tracepath'],
  ])('says so where the route is not known', async (probe, words) => {
    await expect((await probed(probe)).judged).rejects.toThrow(`failed (no answer), and ${words}. Check the routes`);
  });

  test('fails on an output that is not the probe’s', async () => {
    await expect((await probed({ answer: 'perhaps' })).judged).rejects.toThrow(
      'probe-path: must print its result as JSON, printed "{\\"answer\\":\\"perhaps\\"}"',
    );
  });
});

describe('path public', () => {
  test("admits only the addresses of both hosts, and returns the server's public address", async () => {
    const { connectPair, ec2 } = await setUp('public');

    expect(addresses(await connectPair())).toEqual(['203.0.113.1', '203.0.113.1']);
    expect(addresses(await connectPair())).toEqual(['203.0.113.1', '203.0.113.1']);
    expect(ec2.securityGroups.get(PAIR_GROUP)!.sources).toEqual([
      { cidr: '203.0.113.2/32' },
      { cidr: '203.0.113.1/32' },
    ]);
  });

  test('waits for addresses that do not exist yet', async () => {
    const { connectPair, ec2 } = await setUp('public', { publicAddresses: async () => ['203.0.113.2', undefined] });

    expect(await connectPair()).toEqual({ ready: false, waitingFor: 'public addresses' });
    expect(ec2.securityGroups.get(PAIR_GROUP)!.sources).toEqual([]);
  });

  test('waits for a group that is not known everywhere yet, and fails on any other error', async () => {
    const refusing = (name: string) => ({
      admitTraffic: async () => {
        throw awsError(name);
      },
    });

    expect(await (await setUp('public', refusing('InvalidGroup.NotFound'))).connectPair()).toEqual({
      ready: false,
      waitingFor: 'AWS (InvalidGroup.NotFound: InvalidGroup.NotFound happened)',
    });
    await expect((await setUp('public', refusing('UnauthorizedOperation'))).connectPair()).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
  });
});

describe('path nlb', () => {
  test.each([
    ['createLoadBalancer', 'InvalidSecurityGroupException'],
    ['createListener', 'TargetGroupNotFoundException'],
    ['createTargetGroup', 'Throttling'],
    ['findListeners', 'LoadBalancerNotFoundException'],
  ] as const)('goes on where %s was held up (%s)', async (call, code) => {
    let left = 1;
    const elb = new FakeLoadBalancers();
    const heldUp = async (...args: unknown[]) => {
      if (left-- > 0) throw awsError(code);
      return (elb[call] as (...given: unknown[]) => Promise<never>)(...args);
    };
    const { connectPair } = await setUp('nlb', { ...elb, [call]: heldUp });

    expect(await connectPair()).toEqual({ ready: false, waitingFor: `AWS (${code}: ${code} happened)` });
    await connectPair();
    expect(addresses(await connectPair())).toEqual(['10.0.0.200', '10.0.0.200']);
  });

  test('is created in one call, and connected once load balancer and targets are ready', async () => {
    const { connectPair, elb } = await setUp('nlb');
    elb.state = 'provisioning';
    elb.health = 'initial';

    expect(await connectPair()).toEqual({ ready: false, waitingFor: 'load balancer (provisioning)' });
    elb.state = 'active';
    expect(await connectPair()).toEqual({
      ready: false,
      waitingFor: 'healthy target: port 5201 (initial), port 5202 (initial)',
    });
    expect(elb.idleSeconds.size).toBe(0);
    elb.health = 'healthy';
    expect(addresses(await connectPair())).toEqual(['10.0.0.200', '10.0.0.200']);
  });

  test('creates each resource once however often it is called', async () => {
    const { connectPair, ec2, elb } = await setUp('nlb');

    for (let call = 0; call < 4; call += 1) await connectPair();

    expect(elb.loadBalancers.size).toBe(1);
    expect([...elb.targetGroups.values()].map(({ targets }) => targets)).toEqual([['i-server'], ['i-server']]);
    expect(elb.listeners).toHaveLength(2);
    expect([...ec2.securityGroups.keys()]).toEqual([PAIR_GROUP, LOAD_BALANCER_GROUP]);
  });

  test('puts the load balancer beside the server, in a group that admits this pair’s hosts and is admitted by them', async () => {
    const { connectPair, ec2, elb } = await setUp('nlb');

    await connectPair();

    const [loadBalancer] = [...elb.loadBalancers.values()];
    expect(loadBalancer).toMatchObject({ subnetId: 'subnet-a', securityGroupId: LOAD_BALANCER_GROUP });
    expect(ec2.securityGroups.get(LOAD_BALANCER_GROUP)!.sources).toEqual([{ securityGroupId: PAIR_GROUP }]);
    expect(ec2.securityGroups.get(PAIR_GROUP)!.sources).toEqual([{ securityGroupId: LOAD_BALANCER_GROUP }]);
  });

  test('checks health on a port of its own, and sets the longest idle timeout for TCP', async () => {
    const { connectPair, elb } = await setUp('nlb');

    await connectPair();
    await connectPair();

    expect([...elb.targetGroups.values()]).toMatchObject([
      { port: 5201, protocol: 'TCP', healthCheckPort: 5200, vpcId: 'vpc-1' },
      { port: 5202, protocol: 'TCP', healthCheckPort: 5200, vpcId: 'vpc-1' },
    ]);
    expect([...elb.idleSeconds]).toEqual([
      ['arn:listener/5201', 6000],
      ['arn:listener/5202', 6000],
    ]);
  });

  test('listens for both protocols if a measurement is over UDP, whose idle timeout is fixed', async () => {
    const measurements = [
      { tool: 'iperf3', durationSeconds: 60, protocol: 'udp', targetBitsPerSecond: 1_000_000 },
      { tool: 'sockperf', durationSeconds: 10 },
    ];
    const { connectPair, elb } = await setUp('nlb', {}, { measurements });

    await connectPair();
    await connectPair();

    expect(elb.listeners.map(({ port, protocol }) => [port, protocol])).toEqual([
      [5201, 'TCP'],
      [5202, 'TCP_UDP'],
    ]);
    expect([...elb.idleSeconds.keys()]).toEqual(['arn:listener/5201']);
  });

  test("gives everything the pair's tags, the user's among them, and a name that is short enough", async () => {
    const tagsOfUser = { CostCenter: '42' };
    const { connectPair, ec2, elb, run } = await setUp('nlb', {}, { tags: tagsOfUser });

    await connectPair();

    const made = [
      ...elb.loadBalancers.values(),
      ...elb.targetGroups.values(),
      ...elb.listeners,
      ec2.securityGroups.get(LOAD_BALANCER_GROUP)!,
    ];
    expect(made).toHaveLength(6);
    const expiresAt = new Date(Date.parse('2026-11-20T10:00:00.000Z') + run.pairs[0]!.lifetimeSeconds * 1000);
    for (const { tags } of made) {
      expect(tags).toEqual({ ...tagsOfUser, ...TAGS, 'network-benchmark:expires-at': expiresAt.toISOString() });
    }
    const names = [...elb.loadBalancers.values(), ...elb.targetGroups.values()].map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^network-benchmark-[0-9a-f]{14}$/);
  });

  /** Calls that are answered as a repeated one is whose first answer was lost: what is made can't be made again. */
  function lostAnswers(elb: FakeLoadBalancers) {
    const refusing =
      <Request, Answer>(create: (request: Request) => Promise<Answer>, code: string) =>
      async (request: Request): Promise<Answer> => {
        await create(request);
        throw awsError(code, 'already exists');
      };
    return {
      createLoadBalancer: refusing(elb.createLoadBalancer, 'DuplicateLoadBalancerNameException'),
      createTargetGroup: refusing(elb.createTargetGroup, 'DuplicateTargetGroupNameException'),
      createListener: refusing(elb.createListener, 'DuplicateListenerException'),
    };
  }

  test('takes what it finds as a duplicate for its own where it has made it, and connects', async () => {
    const elb = new FakeLoadBalancers();
    const { connectPair } = await setUp('nlb', { ...elb, ...lostAnswers(elb) });

    await connectPair();

    expect(addresses(await connectPair())).toEqual(['10.0.0.200', '10.0.0.200']);
    expect([elb.loadBalancers.size, elb.targetGroups.size, elb.listeners.length]).toEqual([1, 2, 2]);
  });

  test('waits for a duplicate that is not listed yet', async () => {
    const elb = new FakeLoadBalancers();
    const unlisted = { findLoadBalancer: async () => undefined };
    const { connectPair } = await setUp('nlb', { ...elb, ...lostAnswers(elb), ...unlisted });

    expect(await connectPair()).toMatchObject({
      ready: false,
      waitingFor: expect.stringMatching(/^load balancer network-benchmark-[0-9a-f]{14} \(there, but not listed yet\)$/),
    });
  });

  test.each([
    ['load balancer', 'findLoadBalancers', /^load balancer network-benchmark-\w+ exists already and isn't this pair's/],
    ['target group', 'findTargetGroups', /^target group network-benchmark-\w+ exists already and isn't this pair's/],
  ])('fails with a sentence for a %s of the same name that is not its own', async (_, findOwn, words) => {
    const elb = new FakeLoadBalancers();
    const { connectPair } = await setUp('nlb', { ...elb, ...lostAnswers(elb), [findOwn]: async () => [] });

    const connecting = connectPair();

    await expect(connecting).rejects.toMatchObject({
      name: 'ConnectFailedError',
      message: expect.stringMatching(words),
    });
  });

  test('fails with a sentence for a listener that leads elsewhere', async () => {
    const elb = new FakeLoadBalancers();
    const elsewhere = { arn: 'arn:listener/5201', targetGroupArn: 'arn:another' };
    let isCreated = false;
    const { connectPair } = await setUp('nlb', {
      ...elb,
      createListener: async () => {
        isCreated = true;
        throw awsError('DuplicateListenerException', 'already exists');
      },
      findListeners: async () => new Map(isCreated ? [[5201, elsewhere] as const, [5202, elsewhere] as const] : []),
    });

    await expect(connectPair()).rejects.toThrow(/^listener on port 520\d of the pair's load balancer exists already/);
  });

  test('fails with a sentence in a zone without load balancers', async () => {
    const refused = async () => {
      throw awsError('AvailabilityZoneNotSupportedException', 'us-east-1e is not supported');
    };
    const { connectPair } = await setUp('nlb', { createLoadBalancer: refused });

    await expect(connectPair()).rejects.toMatchObject({
      name: 'ConnectFailedError',
      message:
        'no load balancer can be created in eu-test-1a: measure by another path there, or deploy into other zones ' +
        '(AvailabilityZoneNotSupportedException: us-east-1e is not supported)',
    });
  });

  test('fails when the load balancer fails', async () => {
    const { connectPair, elb } = await setUp('nlb');
    elb.state = 'failed';
    elb.reason = 'no free addresses';

    await expect(connectPair()).rejects.toThrow('load balancer: must become active, failed: no free addresses');
  });

  test('waits for the address of its interface', async () => {
    const { connectPair, elb } = await setUp('nlb');
    elb.address = undefined;
    await connectPair();

    expect(await connectPair()).toEqual({ ready: false, waitingFor: "the load balancer's address" });
  });
});

test.each(['public', 'nlb'])(
  'path %s: fails for a pair without a group of its own, and does not wait',
  async (path) => {
    const { connectPair, store } = await setUp(path);
    store.putJson(pairHostsKey(RUN_ID, 'p0001'), {
      ...store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001')),
      securityGroupId: undefined,
    });

    await expect(connectPair()).rejects.toThrow('p0001: must have a security group of its own, got none');
  },
);
