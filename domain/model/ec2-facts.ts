/**
 * AWS's figures about EC2 and its load balancers that a forecast or a verdict depends on, each with the AWS page that
 * it is from, read in November 2026. What the EC2 API reports about a type is read per run (`instance-type.ts`).
 */
import type { Source } from './source';

const guide = (page: string): Source => ({ name: 'EC2 guide', date: '2026-11', text: `EC2 user guide, "${page}"` });
export const BANDWIDTH_PAGE = guide('Amazon EC2 instance network bandwidth');
export const ENA_EXPRESS_PAGE = guide('Improve network performance with ENA Express');

/**
 * `BANDWIDTH_PAGE`: a single flow (5-tuple) has 5 Gbit/s, and 10 Gbit/s within a cluster placement group.
 * `ENA_EXPRESS_PAGE`: up to 25 Gbit/s if both hosts have it enabled; it is enabled separately for UDP.
 */
export const SINGLE_FLOW_BITS_PER_SECOND = { ordinary: 5e9, cluster: 10e9, enaExpress: 25e9 } as const;

/** `BANDWIDTH_PAGE`: the limits of a host through an internet gateway. */
const GATEWAY = { sharedFromVcpus: 32, share: 0.5, leastBitsPerSecond: 5e9 } as const;

/** @returns what a host can send through an internet gateway; undefined if that depends on an unpublished peak */
export function internetGatewayBitsPerSecond(type: {
  readonly vcpuCount: number;
  readonly peakBitsPerSecond?: number;
}): number | undefined {
  if (type.vcpuCount < GATEWAY.sharedFromVcpus) return GATEWAY.leastBitsPerSecond;
  if (type.peakBitsPerSecond === undefined) return undefined;
  return Math.max(GATEWAY.share * type.peakBitsPerSecond, GATEWAY.leastBitsPerSecond);
}

/**
 * `BANDWIDTH_PAGE`: bursts at the full rate last "typically from 5 to 60 minutes". The expected value is the geometric
 * mean, because the ends are a factor of 12 apart.
 */
export const PUBLISHED_BURST_SECONDS = { low: 300, expected: Math.round(Math.sqrt(300 * 3600)), high: 3600 } as const;

/** ENA driver guide: an interface drops outbound IP fragments above this rate (`pps_allowance_exceeded`). */
export const FRAGMENTS_PER_SECOND = 1_024;

/** The lowest baseline that DescribeInstanceTypes reports for any type, t3.nano's. */
export const LOWEST_BASELINE_BITS_PER_SECOND = 32e6;

/**
 * Network Load Balancer guide, "Connection idle timeout": a TCP listener takes 60 to 6,000 s and has 350 s by default.
 * A TCP_UDP listener, which UDP tests need, keeps TCP connections for a fixed 350 s.
 */
export const LOAD_BALANCER_LONGEST_IDLE_SECONDS = { tcp: 6_000, udp: 350 } as const;

/** Families that a Network Load Balancer can't register by instance id (RegisterTargets, ELB API reference). */
export const NEVER_LOAD_BALANCER_TARGETS: readonly string[] =
  'c1 cc1 cc2 cg1 cg2 cr1 cs1 g1 g2 hi1 hs1 m1 m2 m3 t1'.split(' ');

/**
 * EC2 user guide, "Configure burstable performance instances": T2 is launched with `standard` CPU credits unless told
 * otherwise; T3, T3a and T4g with `unlimited`. Same guide, "Standard mode concepts for burstable instances": T2 gets 30
 * launch credits per vCPU. T3, T3a and T4g get none, so that with `standard` such a host is held to its baseline, 5 to
 * 40 % of each vCPU, until it has earned some.
 */
export function hasLaunchCredits(instanceType: string): boolean {
  return instanceType.startsWith('t2.');
}

/** EC2 user guide, "Network maximum transmission unit (MTU) for your EC2 instance". */
export const JUMBO_FRAME_BYTES = 9001;
/**
 * EC2 user guide, "Improve network performance with ENA Express", prerequisites for Linux instances: the MTU is at most
 * 8,900. Longer UDP packets would silently be sent without ENA Express.
 */
export const ENA_EXPRESS_FRAME_BYTES = 8900;
export const ETHERNET_FRAME_BYTES = 1500;

/**
 * AWS's settings for a Linux host with ENA Express besides its MTU; byte queue limits and autocorking must also be off.
 * EC2 user guide, as above, and check-ena-express-settings.sh in amzn/amzn-ec2-ena-utilities.
 */
export const ENA_EXPRESS_HOST = {
  rxRingLength: 8192,
  tcpLimitOutputBytes: { same_zone: 1_048_576, other_zone: 4_194_304 },
} as const;

/**
 * EC2 user guide, "Improve network performance with ENA Express": it carries traffic between the zones of a Region,
 * except in these Regions (São Paulo, Bahrain, UAE), and none in a Local Zone.
 */
export const REGIONS_WITHOUT_ENA_EXPRESS_ACROSS_ZONES: readonly string[] = ['sa-east-1', 'me-south-1', 'me-central-1'];

/** A Local Zone is recognised by its name: `us-west-2-lax-1a`. */
export const isLocalZone = (zone: string) => /-\d+-[a-z]+-\d+[a-z]$/.test(zone);
