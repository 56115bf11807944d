/** Checks of small measurements: each tool that the other runs leave out, placement, a route of the account's own. */
import { HOST_ROLES } from '../../../domain/model/host-role';
import { ErrorName } from '../../../domain/workflow/error-names';
import { pairsPrefix, summaryKey } from '../../../domain/workflow/object-keys';
import { linesOf, startAndWait, STATUS, type Check } from '../check';
import { completes, completion } from './runs';

const PLACEMENTS = ['in a cluster placement group', 'in two zones'] as const;
const again = [
  startAndWait('smoke-1', 'smoke', 420),
  `python3 -c 'import json; plan = json.load(open("examples/plans/smoke.json")); ` +
    `plan["measurements"] += [{"tool": "http", "durationSeconds": 10}]; limits = [{"rttMicros.p50": {"max": limit}} for limit in (1000000, 1)]; ` +
    `print(json.dumps(plan | {"compareTo": "previous", "expect": limits, "failOn": "expectations"}))' >again.json`,
  'arn=$(aws stepfunctions start-execution --state-machine-arn "$(out RunStateMachineArn)" --name again-1 ' +
    '--input file://again.json --query executionArn --output text); sleep 600',
  STATUS,
].join('\n');

export const smallChecks: Check[] = [
  completes({
    id: 'round-trips-and-routes-complete',
    run: 'small',
    title: 'ping and tracepath measure, with and without placement group, in one zone and between two',
    matters: 'The rules of the security groups must admit ICMP, and EC2 must accept the placement group.',
    examplePlan: 'article-ping-by-placement',
  }),
  {
    id: 'hosts-are-placed-as-planned',
    title: 'Hosts are in the placement group and in the zones that the plan asks for',
    matters: 'Only EC2 has placement groups and zones; its capacity decides whether a pair finds room.',
    provenBy: 'The first pair has a placement group in one zone, and the two hosts of the second are in two zones.',
    run: 'small',
    byHand: `${startAndWait('zones-1', 'latency-zones', 900)}\n${linesOf('reports/zones-1/pairs/p0001.json', '"zone"')}`,
    look: async ({ runs, stack }) => {
      const placed = await Promise.all(PLACEMENTS.map((_, index) => runs.hosts('small', index)));
      const [inGroup, apart] = placed.map(({ client, server, placementGroupName }) => ({
        placementGroupName,
        isOneZone: client.zone === server.zone,
      }));
      const words = placed.map(
        ({ client, server, placementGroupName = 'no group' }, index) =>
          `${PLACEMENTS[index] ?? ''}: ${placementGroupName}, ${client.zone} and ${server.zone}`,
      );
      return {
        proven:
          inGroup?.placementGroupName !== undefined && inGroup.isOneZone && apart !== undefined && !apart.isOneZone,
        call: `s3 GetObject ${stack.bucket}/${pairsPrefix(placed[0]?.runId ?? '')}`,
        evidence: words.join('; '),
      };
    },
  },
  {
    id: 'own-route-is-probed',
    title: "A route of the account's own is probed before anything is measured over it",
    matters:
      "The stack's role has to launch into a subnet that the plan names, and `probe-path` runs on no other path.",
    provenBy: 'The run is complete, the server accepted or refused a connection, and the path MTU is known.',
    run: 'small',
    byHand: [
      'subnet=$(resource AWS::EC2::Subnet | cut -f1)',
      `sed "s/subnet-[0-9a-f]*/$subnet/; /imageId\\|publicAddress/d; s/$subnet\\",/$subnet\\"/" examples/plans/own-subnets.json >own-1.json`,
      'arn=$(aws stepfunctions start-execution --state-machine-arn "$(out RunStateMachineArn)" --name own-1 ' +
        '--input file://own-1.json --query executionArn --output text); sleep 420',
      linesOf(summaryKey('own-1'), '"probedPaths"', 20),
    ].join('\n'),
    look: async (context) => {
      const whole = await completion(context, 'small');
      const probed = (await context.runs.summary('small', 0))?.probedPaths ?? [];
      const words = probed.map(
        ({ answer, pathMtuBytes, problem }) => `${answer ?? problem ?? 'no answer'}, MTU ${pathMtuBytes ?? 'unknown'}`,
      );
      return {
        ...whole,
        proven:
          whole.proven &&
          probed.length > 0 &&
          probed.every(({ answer, pathMtuBytes }) => answer !== null && pathMtuBytes !== undefined),
        evidence: `${whole.evidence}; probed: ${words.join('; ') || 'nothing'}`,
      };
    },
  },
  {
    id: 'loads-are-measured',
    title: 'http, latency under load, packets per second and a duty cycle are measured',
    matters:
      "http takes a web server from Ubuntu's archive, and each burst of a duty cycle is a connection of its own.",
    provenBy: 'Everything in the run is `complete`; of the duty cycle, about half of the seconds have a sample.',
    run: 'again',
    byHand: `${startAndWait('cycle-1', 'duty-cycle', 2400)}\n${STATUS}\n${again}`,
    look: async ({ runs, stack }) => {
      const { name } = await runs.ended('again');
      const { outcome, measurements = [] } = (await runs.summary('again', 0)) ?? {};
      const cycle = measurements.find(({ tool, kind }) => tool === 'iperf3' && kind === 'throughput');
      const samples = cycle?.sampleCount ?? 0;
      const words = measurements.map(({ tool, kind, status, reason }) => [tool, kind, status, reason ?? []].flat());
      return {
        proven: outcome === 'complete' && samples >= 15 && samples <= 25,
        call: `s3 GetObject ${stack.bucket}/${summaryKey(name)}`,
        evidence: `${words.map((each) => each.join(' ')).join(', ') || 'no result'}; ${samples} of 40 s have a sample`,
      };
    },
  },
  {
    id: 'runs-are-compared',
    title: 'A run is compared with the one before it',
    matters: 'Athena finds the run before, and its results are read from the bucket.',
    provenBy: 'The summary has the comparison with the earlier run, and the round trips of both are in it.',
    run: 'again',
    byHand: `${again}\n${linesOf(summaryKey('again-1'), '"comparedRun"', 3)}`,
    look: async ({ runs, stack }) => {
      const { name } = await runs.ended('again');
      const compared = (await runs.summary('again', 0))?.comparedRun;
      const figures = compared?.cells.flatMap(({ figures: ofCell }) => ofCell) ?? [];
      return {
        proven: compared?.earlierRunId === (await runs.start('smoke')) && figures.length > 0,
        call: `s3 GetObject ${stack.bucket}/reports/${name}/summary.json`,
        evidence: `compared with ${compared?.earlierRunId ?? 'no run'}, ${figures.length} figures`,
      };
    },
  },
  {
    id: 'expectations-fail-a-run',
    title: 'A run passes or fails by what its plan expects',
    matters: 'Step Functions decides by the output of the last function.',
    provenBy: `A complete run with an expectation that is met and one that is not has \`FAILED\` with \`${ErrorName.ExpectationsNotMet}\`.`,
    run: 'again',
    byHand: again,
    look: async ({ runs }) => {
      const { name, status, error } = await runs.ended('again');
      const summary = await runs.summary('again', 0);
      const judged = summary?.expectations?.judged.map((each) => each.status) ?? [];
      return {
        proven:
          status === 'FAILED' &&
          error === ErrorName.ExpectationsNotMet &&
          summary?.outcome === 'complete' &&
          judged.join() === 'met,not_met',
        call: `states DescribeExecution ${name}`,
        evidence: `${status} ${error ?? ''}; ${summary?.outcome ?? 'no summary'}; expectations: ${judged.join(', ') || 'none'}`,
      };
    },
  },
  {
    id: 'ena-express-carries',
    title: 'ENA Express is on where the plan asks for it, and carries the traffic',
    matters: "The lab's card has neither the setting nor SRD's counters of its own.",
    provenBy:
      'The driver of both hosts reports mode 1, and the client sent packets over SRD, of those that were eligible.',
    run: 'srd',
    isOptional: true,
    byHand:
      `${startAndWait('srd-1', 'ena-express', 300)}\nfor host in $(hosts srd-1); do\n` +
      '  on_host "$host" "ethtool -S \\$(ip -o route show default | sed \'s/.* dev \\([^ ]*\\).*/\\1/\') | grep ena_srd"\ndone',
    look: async (context) => {
      const whole = await completion(context, 'srd');
      const [first] = (await context.runs.summary('srd', 0))?.measurements ?? [];
      if (first === undefined) return { ...whole, proven: false };
      const result = await context.runs.result('srd', first.measurementId);
      const modes = HOST_ROLES.map((role) => result[role]?.facts?.enaSrdMode);
      const { sent = 0, eligible = 0 } = result.client?.enaSrdPackets ?? {};
      return {
        ...whole,
        proven: whole.proven && modes.every((mode) => mode === 1) && sent > 0 && sent <= eligible,
        evidence: `${whole.evidence}; modes ${modes.map((mode) => mode ?? 'unknown').join(' and ')}, ${sent} of ${eligible} packets`,
      };
    },
  },
];
