/** What a plan cannot show, and what is unknown about its cost. A plan with warnings is still accepted. */
import { elementAt, groupBy, zip } from '../maths/elements';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import { FRAGMENTS_PER_SECOND, hasLaunchCredits } from '../model/ec2-facts';
import { fragmentsPerMessage } from '../model/packet-form';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { LONGEST_MEASUREMENT_SECONDS } from '../model/service-facts';
import { bytes, threeDigits } from '../text/format';
import { SHORT_SAMPLES } from '../detection/observe';
import { loadedSeconds } from './drain';
import type { BulkForecast, OnsetForecast } from './forecast-bulk';
import type { MeasurementForecast, RunForecast } from './forecast-run';

interface PlanWarning {
  /** The path of the field in the plan. */
  readonly path: string;
  readonly text: string;
  /** Of which host's type; warnings of one place that differ in this alone are one line. */
  readonly of?: string;
}

const inPlanOrder = new Intl.Collator('en', { numeric: true });

/** What is known of the hosts of a planned pair. */
export interface HostFacts {
  /** Whether the host boots the account's own image, which may have the tools that the stack's and public ones lack. */
  readonly hasOwnImage: (pair: PlannedPair, role: HostRole) => boolean;
  /** Whether the host's subnets have a default route to anything but an internet gateway; undefined if unclear. */
  readonly hasPrivateWayOut: (pair: PlannedPair, role: HostRole) => boolean | undefined;
}

/** A warning that holds for several pairs is given once. */
export function planWarnings(forecast: RunForecast, pairs: readonly PlannedPair[], hosts: HostFacts): PlanWarning[] {
  const found = zip(forecast.pairs, pairs).flatMap(([{ planPairIndex, measurements }, pair]) =>
    zip(measurements, pair.measurements).flatMap(([measurement, planned]) =>
      warningsOf(measurement, planned, planPairIndex).concat(fragmentWarnings(planned, pair)),
    ),
  );
  const withoutPrice = forecast.typesWithoutPrice.map((type) => ({
    path: 'plan.prices.instanceUsdPerHour',
    text: `${type} has no price, so the cost of the run is unknown`,
  }));
  const ofPairs = pairs
    .filter(isLaunched)
    .flatMap((pair) => [
      ...bareMetalWarnings(pair, forecast.bareMetalTypes),
      ...cpuCreditWarnings(pair),
      ...ownNetworkWarnings(pair),
      ...missingToolsWarnings(pair, hosts),
    ]);
  const all = [...found, ...withoutPrice, ...ofPairs];
  const once = new Map(all.map((warning) => [formatWarning(warning), warning]));
  return [...once].sort(([one], [other]) => inPlanOrder.compare(one, other)).map(([, warning]) => warning);
}

function bareMetalWarnings(pair: PlannedPair, bareMetalTypes: readonly string[]): PlanWarning[] {
  const { planPairIndex, clientType, serverType, hostDeadlines } = pair;
  const roles = clientType === serverType ? (['client'] as const) : HOST_ROLES;
  const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;
  const [online, gone] = [hostDeadlines.onlineDeadlineSeconds, hostDeadlines.tearDownDeadlineSeconds].map(minutes);
  return roles
    .filter((role) => bareMetalTypes.includes(pair[`${role}Type`]))
    .map((role) => ({
      path: `plan.pairs[${planPairIndex}].${role}Type`,
      text:
        `${pair[`${role}Type`]} is bare metal: its start can take over 20 minutes, which EC2 charges for, and the pair ` +
        `waits up to ${online} for it; its shutdown can take as long, is free, and the pair waits up to ${gone} for it`,
    }));
}

function cpuCreditWarnings(pair: PlannedPair): PlanWarning[] {
  const isHeldBack = (role: HostRole) =>
    pair[`${role}CpuCredits`] === 'standard' && !hasLaunchCredits(pair[`${role}Type`]);
  return HOST_ROLES.filter(isHeldBack).map((role) => ({
    path: `plan.pairs[${pair.planPairIndex}].${role}CpuCredits`,
    text:
      `${pair[`${role}Type`]} gets no CPU credits at launch: with standard credits it runs at its baseline (a fraction ` +
      'of each vCPU) from boot on, so the run measures only that',
  }));
}

/** The price does not include what the account pays for its own networks. */
function ownNetworkWarnings({ planPairIndex, path, ends }: PlannedPair): PlanWarning[] {
  const pair = `plan.pairs[${planPairIndex}]`;
  const ownRoute =
    "the route between the hosts is the account's own: charges for traffic through a transit gateway, firewall or the " +
    'like are not in the price';
  const privateHosts =
    'hosts without a public address reach Systems Manager and S3 through a NAT gateway or interface endpoints; the ' +
    'charges for these, by the hour and by volume, are not in the price';
  const isPrivate = HOST_ROLES.some((role) => ends?.[role].publicAddress === false);
  return [
    ...(path === 'own' ? [{ path: `${pair}.path`, text: ownRoute }] : []),
    ...(isPrivate ? [{ path: pair, text: privateHosts }] : []),
  ];
}

/**
 * Only a private host without an image of its own needs a way out, to install the tools.
 *
 * | default route of its subnets        | warning                                 |
 * | ----------------------------------- | --------------------------------------- |
 * | to anything but an internet gateway | none                                    |
 * | missing, or to an internet gateway  | the pair will fail                      |
 * | unknown, or differs between subnets | the pair fails if there is none         |
 */
function missingToolsWarnings(pair: PlannedPair, { hasOwnImage, hasPrivateWayOut }: HostFacts): PlanWarning[] {
  const inNeed = HOST_ROLES.filter((role) => pair.ends?.[role].publicAddress === false && !hasOwnImage(pair, role));
  return ([false, undefined] as const).flatMap((wayOut) => {
    const roles = inNeed.filter((role) => hasPrivateWayOut(pair, role) === wayOut);
    if (roles.length === 0) return [];
    const otherwise =
      wayOut === false
        ? 'its subnet has no default route that leads anywhere but to an internet gateway, so the pair will fail after launch'
        : 'if its subnet has no route to a NAT gateway, the pair fails after launch';
    const text =
      `the ${roles.join(' and the ')} would install the tools from Ubuntu's mirror, which a host without a public ` +
      `address reaches only through a NAT gateway: ${otherwise}; an image with the tools (imageId) needs no gateway`;
    return [{ path: `plan.pairs[${pair.planPairIndex}]`, text }];
  });
}

export function formatWarning({ path, text, of }: PlanWarning): string {
  return `${path}: ${text}${of === undefined ? '' : ` ${of}`}`;
}

/** Returns one line per text, with all places that it is about, and one line per place for what differs in the type. */
export function warningLines(warnings: readonly PlanWarning[]): string[] {
  const ofText = groupBy(warnings, ({ path, ...rest }) => formatWarning({ path: path.replace(INDEX, '[]'), ...rest }));
  const once = [...ofText.values()].map((same) => ({ ...same[0], path: pathOfAll(same.map(({ path }) => path)) }));
  const ofPlace = groupBy(once, (each) => formatWarning({ ...each, of: undefined }));
  return [...ofPlace.values()].map((same) => {
    const of = same.flatMap((each) => each.of ?? []);
    return formatWarning({ ...same[0], of: of.length === 0 ? undefined : of.join('; ') });
  });
}

const INDEX = /\[(\d+)\]/;

/** @returns `plan.measurements[0, 3 to 5].durationSeconds` for the paths of four measurements */
function pathOfAll(paths: readonly string[]): string {
  const indices = [...new Set(paths.flatMap((path) => Number(INDEX.exec(path)?.[1] ?? [])))].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of indices) {
    const last = runs.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const inWords = runs.map(([from, to]) =>
    from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`,
  );
  return elementAt(paths, 0).replace(INDEX, () => `[${inWords.join(', ')}]`);
}

function warningsOf(
  { planMeasurementIndex, notApplicable, bulk }: MeasurementForecast,
  planned: PlannedMeasurement,
  planPairIndex: number,
): PlanWarning[] {
  const path = `plan.measurements[${planMeasurementIndex}]`;
  if (notApplicable !== undefined) {
    return [{ path, text: `not applicable on plan.pairs[${planPairIndex}]: ${notApplicable}` }];
  }
  if (bulk === undefined) return [];
  const texts = {
    parallelStreams: flowCapWarning(bulk),
    protocol: udpWarning(bulk),
  };
  return [
    ...durationWarnings(bulk, planned).map((warning) => ({ path: `${path}.durationSeconds`, ...warning })),
    ...Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [{ path: `${path}.${key}`, text }])),
  ];
}

/** Warns about messages or datagrams that may need more IP fragments a second than EC2 lets out of an interface. */
function fragmentWarnings(measurement: PlannedMeasurement, pair: PlannedPair): PlanWarning[] {
  const { planMeasurementIndex, datagramBytes, messageBytes, notApplicable } = measurement;
  const fragments = fragmentsPerMessage(measurement, pair);
  if (fragments === undefined || notApplicable !== undefined) return [];
  const most = Math.floor(FRAGMENTS_PER_SECOND / fragments);
  if (offeredPerSecond(measurement) <= most) return [];
  const [what, key] =
    datagramBytes === undefined ? (['message', 'messageBytes'] as const) : (['datagram', 'datagramBytes'] as const);
  const size = bytes(datagramBytes ?? messageBytes ?? 0);
  const where = pair.path === 'public' ? 'over public addresses' : `at an MTU of ${pair.mtuBytes} bytes`;
  const waits = offeredPerSecond(measurement) === Infinity && datagramBytes === undefined;
  const lost = waits ? 'a tool that waits for each reply usually stops at the first loss' : 'the rest is lost';
  const text =
    `a ${what} of ${size} is sent in ${fragments} IP fragments ${where}, and EC2 lets an interface send ` +
    `${FRAGMENTS_PER_SECOND} fragments a second (ENA driver guide): that is ${most} ${what}s a second, and ${lost}`;
  return [{ path: `plan.measurements[${planMeasurementIndex}].${key}`, text }];
}

/** Returns Infinity for a tool that sends as fast as it can. */
function offeredPerSecond({ messagesPerSecond, packetCount, durationSeconds, ...load }: PlannedMeasurement): number {
  const { targetBitsPerSecond, datagramBytes } = load;
  if (packetCount !== undefined) return packetCount / durationSeconds;
  if (targetBitsPerSecond && datagramBytes) return targetBitsPerSecond / 8 / datagramBytes;
  return messagesPerSecond ?? Infinity;
}

function durationWarnings(bulk: BulkForecast, planned: PlannedMeasurement): Omit<PlanWarning, 'path'>[] {
  const { onset, canShow, showsFromSeconds } = bulk;
  const { durationSeconds, mode } = planned;
  const samples = loadedSeconds(planned);
  const tooShort =
    samples < SHORT_SAMPLES && mode !== 'packets'
      ? [
          {
            text: `${samples} s of traffic is too short for a verdict, which needs ${SHORT_SAMPLES} samples, one per second`,
          },
        ]
      : [];
  if (onset.kind === 'unknown')
    return [...tooShort, { text: `it is unknown when the throttle comes: ${onset.reason}` }];
  if (onset.kind === 'none' || canShow === 'yes' || canShow === 'nothing_to_show') return tooShort;
  const text = `${durationSeconds} s ${canShow === 'no' ? 'is' : 'may be'} too short to show the throttle of`;
  const wouldShow =
    showsFromSeconds === null || showsFromSeconds > LONGEST_MEASUREMENT_SECONDS
      ? `even ${LONGEST_MEASUREMENT_SECONDS} s, the longest duration, may be too short`
      : `${showsFromSeconds} s is long enough`;
  return [...tooShort, { text, of: `${onset.instanceType}, expected at ${onsetText(onset)} (${wouldShow})` }];
}

function flowCapWarning(bulk: BulkForecast): string | undefined {
  const { flowCount, flowCapBitsPerSecond: cap, peakBitsPerSecond: peak, burstBitsPerSecond: burst } = bulk;
  const reached = flowCount * cap;
  if (peak === null || burst === null || reached >= peak || burst < reached) return undefined;
  const flows = flowCount === 1 ? '1 flow is' : `${flowCount} flows are`;
  return `${flows} capped at ${threeDigits(reached / 1e9)} Gbit/s, below the peak of ${threeDigits(peak / 1e9)} Gbit/s`;
}

function udpWarning({ sentBitsPerSecond: sent, peakBitsPerSecond: peak, directionCount }: BulkForecast) {
  if (sent === undefined || (peak !== null && sent <= directionCount * peak)) return undefined;
  return (
    'UDP does not slow down for its receiver: volume and price include all traffic that is sent, at most ' +
    `${threeDigits(sent / 1e9)} Gbit/s, even if it does not arrive`
  );
}

/** Returns `1059 s` or `300 to 3600 s`: an interval below a tenth of the expected value is shown as that value. */
export function onsetText(onset: Extract<OnsetForecast, { kind: 'at' }>): string {
  const { lowSeconds, expectedSeconds, highSeconds } = onset;
  if (expectedSeconds === null || highSeconds === null) return `${Math.round(lowSeconds)} s or later`;
  if (highSeconds - lowSeconds <= 0.1 * expectedSeconds) return `${Math.round(expectedSeconds)} s`;
  return `${Math.round(lowSeconds)} to ${Math.round(highSeconds)} s`;
}
