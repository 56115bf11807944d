/** Reads the result of probing a route between two hosts, and words the failure if nothing arrives. */
import * as z from 'zod';
import type { PlannedPair } from '../model/planned-run';
import type { ProbedPath } from '../model/probed-path';
import { lastAnsweringHop, parseTracepathText } from './tracepath/text';
import type { PairHosts } from '../workflow/contracts';

/** The first line that `probe-path` prints (`ssm-documents/probe-path/probe_path.py`). */
const probeOutput = z.object({
  probedAt: z.iso.datetime(),
  answer: z.enum(['accepted', 'refused']).nullable(),
  attempts: z.int(),
  seconds: z.number(),
  problem: z.string().nullable(),
  route: z.string(),
  routeProblem: z.string().nullable(),
});

/** @throws if the output is not the probe's */
export function probedPath(output: string, { measurements }: PlannedPair, hosts: PairHosts): ProbedPath {
  const [line = ''] = output.split('\n');
  const { route, ...probe } = readOutput(line);
  const { hopCount, pathMtuBytes } = parseTracepathText(route);
  const { runId, pairId, client, server } = hosts;
  const [first] = measurements;
  if (first === undefined) throw new Error(`${pairId}: must have a measurement, has none`);
  return {
    runId,
    pairId,
    from: { address: client.privateIp, subnetId: client.subnetId },
    to: { address: server.privateIp, subnetId: server.subnetId, port: first.port },
    ...probe,
    // If the server did not answer, tracepath's MTU is only that of the route to the last hop that answered.
    pathMtuBytes: hopCount === undefined ? undefined : pathMtuBytes,
    hopCount,
    lastHop: lastAnsweringHop(route),
    route: route.split('\n').filter((text) => text.trim() !== ''),
  };
}

function readOutput(line: string) {
  try {
    return probeOutput.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`probe-path: must print its result as JSON, printed ${JSON.stringify(line.slice(0, 200))}`, {
      cause,
    });
  }
}

/** Says what was tried and where to look for the obstacle: sentences, the last one without its full stop. */
export function nothingArrives(
  { from, to, attempts, seconds, problem, lastHop, routeProblem }: ProbedPath,
  serverGroupId: string,
): string {
  const hop =
    lastHop === undefined
      ? (routeProblem ?? 'no hop answered tracepath')
      : `the last hop that answered tracepath was ${lastHop.address} (hop ${lastHop.hop})`;
  return (
    `nothing arrives from ${from.address} in ${from.subnetId} at ${to.address} port ${to.port} in ${to.subnetId}: ` +
    `${attempts} TCP connections in ${Math.round(seconds)} s failed (${problem ?? 'no answer'}), and ${hop}. ` +
    'Check the routes and the network ACLs of both subnets, and any firewall between them. ' +
    `The server's security group, ${serverGroupId}, lets the client in only with its own address, ${from.address}: ` +
    'a NAT or proxy on the way that changes the address blocks the traffic'
  );
}
