/** Checks of hosts and paths while a run measures on them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOAD_BALANCER_LONGEST_IDLE_SECONDS } from '../../../domain/model/ec2-facts';
import { ErrorName } from '../../../domain/workflow/error-names';
import { ResourceTag } from '../../../domain/workflow/resource-tags';
import { errorText } from '../../../lambdas/errors/aws-errors';
import { IDLE_TCP_CONNECTION_SECONDS } from '../../../lambdas/launch-pair/launch-host';
import { startAndWait, STATUS, type Check, type CheckContext } from '../check';
import type { RunName } from '../run-plans';

const LOOK_SECONDS = 3;
const SCRIPT_SECONDS = 120;
const SCRIPTS = join(__dirname, '../host-scripts');

/** @returns what a script printed on a host @throws when it does not end, or fails */
async function printedBy({ account, wait }: CheckContext, instanceId: string, script: string): Promise<string> {
  const commandId = await account.sendShellScript(instanceId, script);
  for (let waited = 0; waited <= SCRIPT_SECONDS; waited += LOOK_SECONDS) {
    const { status, standardOutput, standardError } = await account.scriptResult(commandId, instanceId);
    if (status === 'Success') return standardOutput.trim();
    if (!['Pending', 'InProgress', 'Delayed'].includes(status)) {
      throw new Error(`command ${commandId} on ${instanceId}: ${status}: ${standardError.trim()}`);
    }
    await wait(LOOK_SECONDS);
  }
  throw new Error(`command ${commandId} on ${instanceId}: must end within ${SCRIPT_SECONDS} s`);
}

async function tagsOfRun({ stack, runs }: CheckContext, run: RunName) {
  return { [ResourceTag.stack]: stack.name, [ResourceTag.runId]: await runs.start(run) };
}

const watched = startAndWait('watched-1', 'burst-30-minutes-m5.2xlarge', 150);
const balancers =
  `${startAndWait('nlb-1', 'article-sockperf-by-path', 420)}\n` +
  'for lb in $(aws elbv2 describe-load-balancers ' +
  '--query "LoadBalancers[?starts_with(LoadBalancerName, \'network-benchmark-\')].LoadBalancerArn" --output text); do\n';

/** The other checks of the same run come after them, because these need it to be measuring. */
export const measuringChecks: Check[] = [
  {
    id: 'host-is-quiet',
    title: "The tools run outside the agent's control group, on a quiet host with a deadline",
    matters:
      'A tool in the group of the agent shares its limits; an upgrade or a snap refresh disturbs what is measured.',
    provenBy:
      'The host has a scope for the tool, refreshes that are held, no apt timer, and the timer of its deadline.',
    run: 'watched',
    ownMinutes: 1,
    byHand: `${watched}\non_host "$(hosts watched-1 | cut -f1)" "$(cat test/on-aws/host-scripts/quiet.sh)"`,
    look: async (context) => {
      const { client } = await context.runs.measuring('watched');
      const printed = await printedBy(context, client.instanceId, readFileSync(join(SCRIPTS, 'quiet.sh'), 'utf8'));
      const facts = new Map(printed.split('\n').map((line) => line.split('=', 2) as [string, string]));
      const proven =
        Number(facts.get('scopes')) > 0 &&
        (facts.get('snap') ?? '') !== '' &&
        facts.get('apt') === '0' &&
        facts.get('deadline') === 'active';
      return {
        proven,
        call: `ssm SendCommand ${client.instanceId} quiet.sh`,
        evidence: printed.replaceAll('\n', ', ') || 'printed nothing',
      };
    },
  },
  {
    id: 'host-writes-its-own-prefix-only',
    title: "A host can write below its own prefix of the bucket, and not below another host's",
    matters: 'The policy of the role has the variable `aws:userid`, which nothing but IAM evaluates.',
    provenBy: "S3 accepts the host's own object and answers `AccessDenied` to the other one.",
    run: 'watched',
    ownMinutes: 1,
    byHand:
      `${watched}\non_host "$(hosts watched-1 | cut -f1)" "BUCKET=$(out BucketName) REGION=$(out RunStateMachineArn | cut -d: -f4) ` +
      `RUN_ID=watched-1 python3 - <<'EOF'\n$(cat test/on-aws/host-scripts/other-prefix.py)\nEOF\n"`,
    look: async (context) => {
      const { client, runId } = await context.runs.measuring('watched');
      const script = readFileSync(join(SCRIPTS, 'other-prefix.py'), 'utf8');
      const { bucket, region } = context.stack;
      const variables = `BUCKET=${bucket} REGION=${region} RUN_ID=${runId}`;
      const printed = await printedBy(context, client.instanceId, `${variables} python3 - <<'EOF'\n${script}\nEOF\n`);
      const { own, other } = JSON.parse(printed) as { own?: string; other?: string };
      return {
        proven: own === 'written' && other === 'AccessDenied',
        call: `ssm SendCommand ${client.instanceId} other-prefix.py; s3 PutObject`,
        evidence: `own prefix: ${own ?? 'no answer'}; another host's: ${other ?? 'no answer'}`,
      };
    },
  },
  {
    id: 'connection-tracking-is-set',
    title: 'Both hosts remember a silent connection for as long as the launch asked',
    matters: 'The control connection of a long measurement is silent; EC2 forgets one after 350 s by default.',
    provenBy: `Each interface of both hosts has a TcpEstablishedTimeout of ${IDLE_TCP_CONNECTION_SECONDS} s.`,
    run: 'watched',
    ownMinutes: 1,
    byHand:
      `${watched}\nfor host in $(hosts watched-1); do\n` +
      '  aws ec2 describe-network-interfaces --filters "Name=attachment.instance-id,Values=$host" ' +
      "--query 'NetworkInterfaces[].ConnectionTrackingConfiguration.TcpEstablishedTimeout'\ndone",
    look: async ({ account, runs }) => {
      const { client, server } = await runs.measuring('watched');
      const hosts = [client.instanceId, server.instanceId];
      const seconds = (await Promise.all(hosts.map((id) => account.connectionTrackingSeconds(id)))).flat();
      return {
        proven: seconds.length >= 2 && seconds.every((each) => each === IDLE_TCP_CONNECTION_SECONDS),
        call: `ec2 DescribeNetworkInterfaces ${hosts.join(' ')}`,
        evidence: `TcpEstablishedTimeout: ${seconds.map((each) => each ?? 'default').join(', ') || 'no interface'}`,
      };
    },
  },
  {
    id: 'lost-host-fails-the-run',
    title: 'A run that loses a host fails, keeps the seconds before, and says what it could not measure',
    matters: 'EC2 ends a host without a word to anybody, and Run Command goes on waiting for it.',
    provenBy:
      `Once the server is terminated, the execution is \`FAILED\` with \`${ErrorName.RunIncomplete}\` or ` +
      `\`${ErrorName.RunFailed}\`, and its measurement has seconds, a reason, and is not \`complete\`.`,
    run: 'watched',
    ownMinutes: 6,
    byHand:
      `${watched}\nhost=$(hosts watched-1 | cut -f1)\n` +
      `aws ec2 terminate-instances --instance-ids "$host" --query 'TerminatingInstances[].CurrentState.Name'; sleep 360\n${STATUS}`,
    look: async ({ account, runs }) => {
      const { server } = await runs.measuring('watched');
      await account.terminateHosts([server.instanceId]);
      const { name, status, error = '' } = await runs.ended('watched');
      const measurements = (await runs.summary('watched', 0))?.measurements ?? [];
      const isToldOf = measurements.map(
        (lost) => lost.status !== 'complete' && lost.reason !== null && (lost.sampleCount ?? 0) > 0,
      );
      const words = measurements.map(
        (lost) => `${lost.sampleCount ?? 0} s, ${lost.status}: ${lost.reason ?? 'no reason'}`,
      );
      return {
        proven:
          status === 'FAILED' &&
          ([ErrorName.RunIncomplete, ErrorName.RunFailed] as readonly string[]).includes(error) &&
          isToldOf.length > 0 &&
          isToldOf.every(Boolean),
        call: `ec2 TerminateInstances ${server.instanceId}; states DescribeExecution ${name}`,
        evidence: [`${status} ${error}`, ...words].join('; '),
      };
    },
  },
  {
    id: 'public-path-is-closed-to-others',
    title: "A public path is open to the pair's own addresses and to nobody else",
    matters: 'The addresses of the hosts are public, so that a wider rule would admit the Internet.',
    provenBy: "The pair's security group admits exactly the two addresses of its hosts, as `/32`.",
    run: 'public',
    byHand:
      `${startAndWait('public-1', 'article-sockperf-by-path', 240)}\n` +
      'aws ec2 describe-security-groups --filters Name=tag:network-benchmark:run-id,Values=public-1 ' +
      "--query 'SecurityGroups[].[GroupName,IpPermissions[].IpRanges[].CidrIp]'",
    look: async (context) => {
      const { client, server } = await context.runs.measuring('public');
      const addresses = await context.account.publicAddresses([client.instanceId, server.instanceId]);
      const groups = await context.account.findSecurityGroups(await tagsOfRun(context, 'public'));
      const rules = groups.flatMap(({ ingress }) => ingress);
      const admitted = rules.flatMap((rule) => [
        ...(rule.IpRanges ?? []).map(({ CidrIp = '' }) => CidrIp),
        ...(rule.Ipv6Ranges ?? []).map(({ CidrIpv6 = '' }) => CidrIpv6),
        ...(rule.PrefixListIds ?? []).map(({ PrefixListId = '' }) => PrefixListId),
      ]);
      const own = addresses.map((address) => `${address ?? 'none'}/32`);
      return {
        proven: groups.length === 1 && [...new Set(admitted)].sort().join() === [...own].sort().join(),
        call: `ec2 DescribeSecurityGroups, DescribeInstances ${client.instanceId} ${server.instanceId}`,
        evidence: `${groups.length} group, admits ${admitted.join(', ') || 'nobody'}; the hosts are ${own.join(', ')}`,
      };
    },
  },
  {
    id: 'load-balancer-forwards',
    title: 'A pair is connected through a load balancer whose targets stay healthy',
    matters:
      "The permissions of connect-pair suffice, also for the account's first load balancer, and TCP may be silent long.",
    provenBy:
      'While it measures, the load balancer is `active`, `internal` and has one security group, every target is `healthy`, ' +
      `and each TCP listener has an idle time-out of ${LOAD_BALANCER_LONGEST_IDLE_SECONDS.tcp} s.`,
    run: 'nlb',
    byHand: [
      `${balancers}  aws elbv2 describe-load-balancers --load-balancer-arns "$lb" ` +
        "--query 'LoadBalancers[].[State.Code,Scheme,SecurityGroups]' --output text",
      '  for tg in $(aws elbv2 describe-target-groups --load-balancer-arn "$lb" ' +
        "--query 'TargetGroups[].TargetGroupArn' --output text); do",
      '    aws elbv2 describe-target-health --target-group-arn "$tg" ' +
        "--query 'TargetHealthDescriptions[].[Target.Id,Target.Port,TargetHealth.State]' --output text\n  done",
      '  for listener in $(aws elbv2 describe-listeners --load-balancer-arn "$lb" ' +
        '--query "Listeners[?Protocol==\'TCP\'].ListenerArn" --output text); do',
      '    aws elbv2 describe-listener-attributes --listener-arn "$listener" --output text\n  done\ndone',
    ].join('\n'),
    look: async (context) => {
      const { account, runs } = context;
      await runs.measuring('nlb');
      const tags = await tagsOfRun(context, 'nlb');
      const [balancer] = await account.findLoadBalancers(tags);
      const call = 'elasticloadbalancing DescribeLoadBalancers, DescribeTargetHealth, DescribeListenerAttributes';
      if (balancer === undefined) return { proven: false, call, evidence: 'the run has no load balancer' };
      const { state, scheme, securityGroupCount } = await account.balancerState(balancer.arn);
      const targetGroups = await account.findTargetGroups(tags);
      const health = (await Promise.all(targetGroups.map(({ arn }) => account.healthOfTargets(arn)))).flat();
      const listeners = (await account.balancerListeners(balancer.arn)).filter(({ protocol }) => protocol === 'TCP');
      const idle = await Promise.all(listeners.map(({ arn }) => account.idleTimeoutSeconds(arn)));
      const proven =
        [state, scheme, securityGroupCount].join() === 'active,internal,1' &&
        health.length > 0 &&
        health.every((each) => each === 'healthy') &&
        idle.length > 0 &&
        idle.every((each) => each === LOAD_BALANCER_LONGEST_IDLE_SECONDS.tcp);
      const evidence =
        `${state}, ${scheme}, ${securityGroupCount} security group; targets ${health.join(', ') || 'none'}; ` +
        `idle time-outs of TCP ${idle.map((each) => `${each ?? 'default'} s`).join(', ') || 'none'}`;
      return { proven, call: `${call} ${balancer.name}`, evidence };
    },
  },
  {
    id: 'udp-idle-timeout-is-fixed',
    title: 'A TCP_UDP listener refuses an idle time-out',
    matters:
      'Documentation and users disagree. If it accepts one, UDP for more than 350 s through a load balancer need not be ' +
      '`not_applicable` (`LOAD_BALANCER_LONGEST_IDLE_SECONDS` in `domain/model/ec2-facts.ts`).',
    provenBy: 'ModifyListenerAttributes is answered by an error about the attribute.',
    run: 'nlb',
    byHand:
      `${balancers}  for listener in $(aws elbv2 describe-listeners --load-balancer-arn "$lb" ` +
      '--query "Listeners[?Protocol==\'TCP_UDP\'].ListenerArn" --output text); do\n' +
      '    aws elbv2 modify-listener-attributes --listener-arn "$listener" ' +
      '--attributes Key=tcp.idle_timeout.seconds,Value=6000\n  done\ndone',
    look: async (context) => {
      const { account, runs } = context;
      await runs.measuring('nlb');
      const [balancer] = await account.findLoadBalancers(await tagsOfRun(context, 'nlb'));
      const listeners = balancer === undefined ? [] : await account.balancerListeners(balancer.arn);
      const listener = listeners.find(({ protocol }) => protocol === 'TCP_UDP');
      const call = `elasticloadbalancing ModifyListenerAttributes ${listener?.arn ?? ''}`;
      if (listener === undefined) return { proven: false, call, evidence: 'the run has no TCP_UDP listener' };
      const refusal = await account
        .requestIdleTimeout(listener.arn, LOAD_BALANCER_LONGEST_IDLE_SECONDS.tcp)
        .then(() => undefined, errorText);
      const proven = refusal !== undefined && /attribute|InvalidConfigurationRequest/i.test(refusal);
      return { proven, call, evidence: refusal ?? 'the attribute was accepted' };
    },
  },
];
