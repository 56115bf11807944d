/** Checks of whole runs: that they complete with what they need from the account. */
import { verdictWord, withheldCpuOf } from '../../../domain/model/verdict';
import type { VerdictJson } from '../../../domain/model/verdict-json';
import type { RunSummaryJson } from '../../../domain/run/summary';
import { pairsPrefix } from '../../../domain/workflow/object-keys';
import { ResourceTag } from '../../../domain/workflow/resource-tags';
import { DOCUMENT_NAMES } from '../../../lib/measurement-documents/measurement-documents';
import type { HostCommand } from '../adapters/calls';
import { startAndWait, STATUS, type Check, type CheckContext, type Finding } from '../check';
import type { RunName } from '../run-plans';
import { answersAreQueried, queriesRun } from './queries';

interface Completing {
  readonly id: string;
  readonly run: RunName;
  readonly title: string;
  readonly matters: string;
  /** A plan of `examples/plans/` that asks for the same. */
  readonly examplePlan: string;
  readonly isOptional?: boolean;
}

export function completes({ run, examplePlan, ...rest }: Completing): Check {
  return {
    ...rest,
    run,
    provenBy: 'The execution is `SUCCEEDED`, and the summary of the run has the outcome `complete`.',
    byHand: `${startAndWait(`${run}-1`, examplePlan, 420)}\n${STATUS}`,
    look: (context) => completion(context, run),
  };
}

export async function completion(context: CheckContext, run: RunName): Promise<Finding> {
  const { runs, stack } = context;
  const { status, name, error, cause } = await runs.ended(run);
  const summary = await runs.summary(run, 0);
  const reason = error === undefined ? '' : `, ${error}: ${cause ?? ''}`;
  return {
    proven: status === 'SUCCEEDED' && summary?.outcome === 'complete',
    call: `states DescribeExecution ${name}; s3 GetObject ${stack.bucket}/reports/${name}/summary.json`,
    evidence: `${status}${reason}; ${summary === undefined ? 'no summary' : measured(summary)}`,
  };
}

function measured({ measurements }: RunSummaryJson): string {
  return measurements
    .map(({ tool, status, reason }) => `${tool} ${[status, reason ?? []].flat().join(': ')}`)
    .join(', ');
}

function saysFirstThatCreditsWereOut(verdict: VerdictJson | null): boolean {
  const withheld = withheldCpuOf(verdict);
  return withheld !== undefined && verdict?.explanation.startsWith(withheld) === true;
}

/** What a presigned URL has and nothing else. */
const SIGNATURE = 'X-Amz-';

export const runChecks: Check[] = [
  completes({
    id: 'run-completes',
    run: 'smoke',
    title: 'A run completes with the roles as they are',
    matters:
      'Hosts register with the minimal role, the agent (or the fallback) sets `SSM_…`, `ssm:resourceTag` admits the ' +
      "command, the nested execution's rule works, and nothing ends with `AccessDenied`.",
    examplePlan: 'smoke',
  }),
  queriesRun,
  answersAreQueried,
  completes({
    id: 'arm-completes',
    run: 'arm',
    title: 'A run on arm64 completes',
    matters: 'The image and the packages of the tools are others than on amd64.',
    examplePlan: 'smoke',
  }),
  completes({
    id: 'older-type-completes',
    run: 'xen',
    title: 'Older types are launched with the settings that they support',
    matters: 'EC2 rejects a connection tracking setting for a type on Xen, here the t2.',
    examplePlan: 'mixed-t2.medium-m5.2xlarge',
  }),
  completes({
    id: 'datagrams-through-load-balancer',
    run: 'nlb',
    title: 'A Network Load Balancer carries large datagrams',
    matters:
      'Datagrams of 16 KiB are fragmented, and we found no documentation on whether a load balancer carries fragments. If ' +
      'it does not, UDP over `nlb` belongs into `notApplicable` of `domain/tools/sockperf.ts`.',
    examplePlan: 'article-sockperf-by-path',
  }),
  completes({
    id: 'peering-completes',
    run: 'peering',
    title: 'A pair is measured across the peered network',
    matters: 'The rules of the two security groups may refer to each other only once the peering is active.',
    examplePlan: 'article-request-response-by-path',
    isOptional: true,
  }),
  {
    id: 's3-urls-stay-secret',
    title: 'S3 is measured with URLs that stay secret',
    matters:
      'Presigned URLs with regional virtual-host addresses work over http and https, the payload bucket admits http, no ' +
      'policy of the organisation rejects such a bucket, and no command prints a URL.',
    provenBy: `The run is complete, its commands on the client have printed something, and nowhere \`${SIGNATURE}\`.`,
    run: 's3',
    ownMinutes: 1,
    byHand: [
      startAndWait('s3-1', 'article-parallel-curl-in-lab-time', 420),
      STATUS,
      "aws ssm list-command-invocations --details --query 'CommandInvocations[].CommandPlugins[].Output' | " +
        `awk '/${SIGNATURE}/ { urls++ } END { print NR, urls + 0 }'`,
    ].join('\n'),
    look: async (context) => {
      const { client } = await context.runs.hosts('s3');
      const whole = await completion(context, 's3');
      const outputs = (await context.account.commandsOn(client.instanceId)).map(({ output }) => output);
      const printed = outputs.filter((output) => output !== '').length;
      const secrets = outputs.filter((output) => output.includes(SIGNATURE)).length;
      return {
        proven: whole.proven && printed > 0 && secrets === 0,
        call: `${whole.call}; ssm ListCommandInvocations ${client.instanceId}`,
        evidence: `${whole.evidence}; ${printed} commands printed something, ${secrets} of them a signed URL`,
      };
    },
  },
  {
    id: 'every-document-runs',
    title: 'Systems Manager runs every document with the parameters that the service sends',
    matters:
      'It checks parameters against the patterns only when a command is sent, and its agent sets what scripts read.',
    provenBy: 'On the hosts of four runs, each document of `ssm-documents/` has a command with the status `Success`.',
    run: 'small',
    alsoRuns: ['again', 's3'],
    byHand:
      'aws ssm list-commands --filters key=Status,value=Success ' +
      "--query 'Commands[].[DocumentName,RequestedDateTime,Comment]' --output text",
    look: async ({ account, stack, runs }) => {
      const found: HostCommand[][] = [];
      let hostCount = 0;
      for (const run of ['smoke', 'small', 'again', 's3'] as const) {
        for (const pairIndex of (await runs.plan(run)).pairs.keys()) {
          const { client, server } = await runs.hosts(run, pairIndex);
          for (const { instanceId } of [client, server]) found.push(await account.commandsOn(instanceId));
          hostCount += 2;
        }
      }
      const counts = DOCUMENT_NAMES.map((name) => {
        const ofDocument = found.flat().filter(({ document }) => document === `${stack.name}-${name}`);
        return { name, count: ofDocument.filter(({ status }) => status === 'Success').length, sent: ofDocument.length };
      });
      return {
        proven: counts.every(({ count }) => count > 0),
        call: `ssm ListCommandInvocations of ${hostCount} hosts`,
        evidence: counts.map(({ name, count, sent }) => `${name} ${count} of ${sent}`).join(', '),
      };
    },
  },
  {
    id: 'plan-is-checked',
    title: 'A plan is checked and priced against the account before anything is launched',
    matters: 'The forecast reads the offer of instance types, the quotas and earlier results of this account.',
    provenBy:
      'A dry run is `SUCCEEDED`, has no hosts, and its output has a forecast without a warning of what is unknown.',
    run: 'dry',
    byHand: [
      `python3 -c 'import json; plan = json.load(open("examples/plans/burst-30-minutes-m5.2xlarge.json")); ` +
        `print(json.dumps(plan | {"dryRun": True}))' >dry.json`,
      'arn=$(aws stepfunctions start-execution --state-machine-arn "$(out RunStateMachineArn)" --name dry-1 ' +
        '--input file://dry.json --query executionArn --output text); sleep 30',
      'aws stepfunctions describe-execution --execution-arn "$arn" --query output --output text',
      'aws service-quotas get-service-quota --service-code ec2 --quota-code L-1216C47A --query Quota.Value',
    ].join('\n'),
    look: async ({ account, stack, runs }) => {
      const { name, status, error, cause, output } = await runs.endedWithOutput('dry');
      const { forecast = [] } = JSON.parse(output ?? '{}') as { forecast?: readonly string[] };
      const unknown = forecast.filter((line) => /could not be read|without earlier runs/.test(line));
      const hosts = await account.findHosts({ [ResourceTag.stack]: stack.name, [ResourceTag.runId]: name });
      // A host that is gone already has left the record of its launch.
      const launches = await account.listableBucket(stack.bucket).listObjects(pairsPrefix(name));
      const launched = [...hosts.map(({ instanceId }) => `host ${instanceId}`), ...launches];
      return {
        proven: status === 'SUCCEEDED' && forecast.length > 0 && unknown.length === 0 && launched.length === 0,
        call: `states DescribeExecution ${name}; ec2 DescribeInstances by tag ${ResourceTag.runId}=${name}`,
        evidence: [status, error ?? [], cause ?? [], `${forecast.length} lines of forecast`, unknown, launched]
          .flat()
          .join('; '),
      };
    },
  },
  {
    id: 'lack-of-cpu-credits-is-steal',
    title: 'A T3 host that is out of CPU credits counts steal, and the verdict says so first',
    matters:
      'The lab writes the `/proc/stat` of its T types itself. Only a host of EC2 shows whether its kernel counts what the ' +
      "hypervisor withholds as steal, and whether a fresh T3 with `standard` credits is held to its CPU's baseline.",
    provenBy: 'The run is complete, and its verdict begins with the host that was out of CPU credits.',
    run: 'no-credits',
    byHand: `${startAndWait('no-credits-1', 'cpu-credits', 1500)}\n${STATUS}`,
    look: async (context) => {
      const whole = await completion(context, 'no-credits');
      const measurements = (await context.runs.summary('no-credits', 0))?.measurements ?? [];
      const explanations = measurements.map(({ verdict }) => ({
        isFirst: saysFirstThatCreditsWereOut(verdict),
        text: verdict?.explanation ?? 'no verdict',
      }));
      return {
        proven: whole.proven && explanations.length > 0 && explanations.every(({ isFirst }) => isFirst),
        call: whole.call,
        evidence: [whole.evidence, ...explanations.map(({ text }) => text)].join('; '),
      };
    },
  },
  {
    id: 'throttle-witnesses-agree',
    title: "ENA's own counters grow when the rate falls",
    matters: 'The lab makes its counters itself. Only an EC2 host has those of the network card.',
    provenBy: 'Each measurement ends as `drop` by `network_credits`, and no witness of its verdict disagrees.',
    run: 'throttled',
    isOptional: true,
    byHand: `${startAndWait('throttled-1', 'burst-30-minutes-m5.2xlarge', 3900)}\n${STATUS}`,
    look: async (context) => {
      const whole = await completion(context, 'throttled');
      const measurements = (await context.runs.summary('throttled', 0))?.measurements ?? [];
      const verdicts = measurements.map(({ measurementId, verdict }) => {
        const against = verdict?.witnesses.filter(({ agrees }) => agrees === false).map(({ name }) => name) ?? [];
        const agrees = verdict?.cause === 'network_credits' && against.length === 0;
        return { agrees, text: [measurementId, verdict ? verdictWord(verdict) : 'no verdict', ...against].join(' ') };
      });
      return {
        proven: whole.proven && verdicts.length > 0 && verdicts.every(({ agrees }) => agrees),
        call: whole.call,
        evidence: [whole.evidence, ...verdicts.map(({ text }) => text)].join('; '),
      };
    },
  },
];
