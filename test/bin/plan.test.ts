import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { offlinePlan } from '../../bin/offline-plan';

const ROOT = path.join(__dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples/plans');
const folder = mkdtempSync(path.join(tmpdir(), 'plan-'));

const MINIMAL = {
  name: 'half an hour across zones',
  pairs: [{ clientType: 'c5.2xlarge', serverType: 'c5.2xlarge', zoneRelation: 'other_zone' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 1800 }],
};

function run(...args: string[]) {
  return spawnSync('bash', [path.join(ROOT, 'scripts/plan.sh'), ...args], { cwd: folder, encoding: 'utf8' });
}

test.each(readdirSync(EXAMPLES))('%s is forecast without an account', (file) => {
  const { problems, forecastText } = offlinePlan(JSON.parse(readFileSync(path.join(EXAMPLES, file), 'utf8')));
  expect(problems).toEqual([]);
  expect(forecastText).toMatch(/^total +\d+\.\d\d +\d+\.\d\d$/m);
});

test('half an hour at 10 Gbit/s across zones comes to 45 USD of traffic at most', () => {
  expect(offlinePlan(MINIMAL).forecastText).toMatch(/^cross zone traffic +30\.30 +45\.00$/m);
});

test('traffic to S3 costs requests and storage, but nothing between zones', () => {
  const measurements = [{ tool: 's3', operation: 'upload', durationSeconds: 60 }];
  const { forecastText } = offlinePlan({ ...MINIMAL, measurements });
  expect(forecastText).toMatch(/^cross zone traffic +0\.00 +0\.00$/m);
  // At most 75 GB in 1,172 objects, kept for two days; one day is expected.
  expect(forecastText).toMatch(/^s3 +0\.06 +0\.12$/m);
});

test('a plan above its limits is rejected, and its figures are shown', () => {
  const { problems, forecastText } = offlinePlan({ ...MINIMAL, maxCostUsd: 10 });
  expect(problems).toEqual([expect.objectContaining({ path: 'plan.maxCostUsd', value: 10 })]);
  expect(forecastText).toBe(offlinePlan(MINIMAL).forecastText);
});

test('a plan’s own price overrides the list', () => {
  const prices = { crossZoneUsdPerGigabyteEachWay: 0.02 };
  expect(offlinePlan({ ...MINIMAL, prices }).forecastText).toMatch(/^cross zone traffic +60\.60 +90\.00$/m);
});

test('a plan that can’t be read has no figures, but all problems', () => {
  const { problems, forecastText } = offlinePlan({ ...MINIMAL, pairs: [{ clientType: 'c99.large' }], order: 'any' });
  expect(forecastText).toBe('');
  expect(problems.map((problem) => problem.path)).toEqual(
    expect.arrayContaining(['plan.pairs[0].serverType', 'plan.order']),
  );
});

describe('a plan that names ends', () => {
  const [client, server] = [{ subnetId: 'subnet-0000000a' }, { subnetId: 'subnet-0000000b' }];
  const planOf = (pair: object) =>
    offlinePlan({ ...MINIMAL, pairs: [{ clientType: 'c5.2xlarge', serverType: 'c5.2xlarge', ...pair }] });

  test('is forecast, with what only an account can say', () => {
    const { problems, note, forecastText } = planOf({ client: { ...client, imageId: 'ami-00000001' }, server });
    expect(problems).toEqual([]);
    expect(note).toContain(
      "\nThe subnets and images that the plan names can't be looked up here: plan-run checks before",
    );
    expect(forecastText).not.toBe('');
  });

  test.each([
    ['two subnets', { client, server }],
    ['a subnet and a zone', { client, server: { zoneId: 'use1-az1' } }],
  ])('of %s has the price of traffic between zones, and says that it is assumed', (_, ends) => {
    const { problems, note, forecastText } = planOf(ends);
    expect(problems).toEqual([]);
    expect(note).toContain(' both prices assume that they are, ');
    expect(forecastText).toMatch(/^c5.2xlarge → c5.2xlarge +other zone \(assumed\), own /m);
    expect(forecastText).toMatch(/^cross zone traffic +30\.30 +45\.00$/m);
  });

  test.each([
    ['private hosts without the tools', { client: { publicAddress: false }, server: {} }, true],
    ['an image of their own', { client: { publicAddress: false, imageId: 'ami-00000001' } }, false],
    ['public hosts', { client: { publicAddress: true } }, false],
  ])('says that routes are unknown here for the sake of private hosts only: %s', (_, ends, isSaid) => {
    const { note, problems } = planOf(ends);
    expect(problems).toEqual([]);
    expect(note.includes("\nRoute tables can't be read here: before the launch, plan-run checks whether")).toBe(isSaid);
  });

  test.each([
    ['the same subnet twice', { client, server: client }],
    ['subnets of one cluster placement group', { client, server, placement: 'cluster' }],
    ['subnets with zones', { client: { ...client, zoneId: 'use1-az1' }, server: { ...server, zoneId: 'use1-az1' } }],
  ])('of %s has hosts in one zone', (_, ends) => {
    const { problems, note, forecastText } = planOf(ends);
    expect(problems).toEqual([]);
    expect(note).not.toContain('assume');
    expect(forecastText).toMatch(/^c5.2xlarge → c5.2xlarge +same zone, own/m);
    expect(forecastText).toMatch(/^cross zone traffic +0\.00 +0\.00$/m);
  });

  test('of two zone ids has the price of traffic between zones, and that of a written zone relation', () => {
    const zoneIds = planOf({ client: { zoneId: 'use1-az1' }, server: { zoneId: 'use1-az2' } });
    const written = planOf({ client, server, zoneRelation: 'other_zone' });
    for (const { problems, forecastText } of [zoneIds, written]) {
      expect(problems).toEqual([]);
      expect(forecastText).toMatch(/^cross zone traffic +30\.30 +45\.00$/m);
    }
    expect(written.note).not.toContain('assume');
  });

  test('is refused for what needs no account', () => {
    const pathOf = (pair: object) => planOf(pair).problems.map(({ path }) => path);
    expect(pathOf({ client, path: 'nlb' })).toEqual(['plan.pairs[0].path']);
    expect(pathOf({ path: 'own' })).toEqual(['plan.pairs[0].path']);
    expect(pathOf({ path: 'public', client: { publicAddress: false } })).toEqual([
      'plan.pairs[0].client.publicAddress',
    ]);
    const sameZone = { client: { zoneId: 'use1-az1' }, server: { zoneId: 'use1-az1' }, zoneRelation: 'other_zone' };
    expect(pathOf(sameZone)).toEqual(['plan.pairs[0].zoneRelation']);
    const [problem] = planOf(sameZone).problems;
    expect(problem?.allowed).toMatch(/because the client is in use1-az1 and the server in use1-az1$/);
  });
});

test('a thousand pairs are planned', () => {
  const pairs = Array.from({ length: 1000 }, (_, index) => ({
    clientType: ['c5.large', 'm5.large', 'c7g.large', 't3.micro'][index % 4]!,
    serverType: ['c5.2xlarge', 'm5.4xlarge', 'c7gn.large'][index % 3]!,
    zoneRelation: 'other_zone',
  }));
  const measurements = [{ tool: 'sockperf', durationSeconds: 10 }, ...MINIMAL.measurements];
  const { problems, forecastText } = offlinePlan({ ...MINIMAL, pairs, measurements });
  expect(problems).toEqual([]);
  expect(forecastText.split('\n').length).toBeGreaterThan(2000);
});

describe('the command', () => {
  test('prints the forecast of a file whose name is relative to the user’s folder', () => {
    writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(MINIMAL));
    const printed = execFileSync('bash', [path.join(ROOT, 'scripts/plan.sh'), 'plan.json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(printed).toMatch(/^total +\d+\.\d\d +\d+\.\d\d$/m);
    expect(printed).toContain('Read without an account: instance types as of 20');
  });

  test('fails with the problems when the plan would be rejected', () => {
    writeFileSync(path.join(folder, 'dear.json'), JSON.stringify({ ...MINIMAL, maxCostUsd: 10 }));
    const { status, stdout, stderr } = run('dear.json');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^total /m);
    expect(stderr).toContain('plan.maxCostUsd');
  });

  test.each(['--help', '-h'])('prints its usage for %s', (option) => {
    const stdout = expect.stringMatching(/^usage: npm run plan -- \[--region REGION\] FILE\n/) as string;
    expect(run(option)).toMatchObject({ status: 0, stdout, stderr: '' });
  });

  test.each([
    [[], /^plan: must be given one FILE, got none\n\nusage: /],
    [['a.json', 'b.json'], /^plan: must be given one FILE, got a\.json, b\.json\n\nusage: /],
    [['--nosuch'], /^plan: unknown option "--nosuch"; allowed: --region, --help\n\nusage: /],
    [['nowhere.json'], /^plan: nowhere\.json: must be the file of a plan: no such file or directory\n$/],
    [['.'], /^plan: \.: must be the file of a plan, got a folder: name a file in it\n$/],
    [['broken.json'], /^plan: broken\.json: must be a plan as JSON: .*position 1/],
    [['new\nline.json'], /^plan: new\\u000aline\.json: /],
  ])('refuses %j with a sentence and exit code 2', (args, stderr) => {
    writeFileSync(path.join(folder, 'broken.json'), '{');
    expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(stderr) as string });
  });
});
