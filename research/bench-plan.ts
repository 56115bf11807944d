/** Measures plan-run's own work for 10,000 measurements: reading, checking against EC2's offer, expanding, encoding. */
import { elementAt } from '../domain/maths/elements';
import { checkEligibility } from '../domain/plan/check-eligibility';
import type { Offer, OfferedInstanceType } from '../domain/plan/offer';
import { checkPlan } from '../domain/plan/check-plan';
import { expandPlan } from '../domain/plan/expand-plan';
import { readPlan } from '../domain/plan/read-plan';
import { encodeJson } from '../lambdas/result-store/encoding';

const type: OfferedInstanceType = {
  instanceType: 'c5.xlarge',
  architectures: ['x86_64'],
  vcpuCount: 4,
  isBurstableCpu: false,
  supportsClusterPlacement: true,
  supportsEnaExpress: true,
};
const zones = ['a', 'b', 'c'];
const offer: Offer = {
  subnets: zones.map((zone) => ({ subnetId: `subnet-${zone}`, zone, zoneId: `az-${zone}`, vpcId: 'vpc' })),
  peeredSubnets: [],
  instanceTypes: new Map([[type.instanceType, type]]),
  zonesOfType: new Map([[type.instanceType, new Set(zones)]]),
  hosts: { region: 'eu-test-1', hostVpcs: 'any', hasPublicAddresses: true, imageParameters: [] },
};
const submitted = {
  name: 'ten thousand measurements',
  pairs: Array.from({ length: 1000 }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' })),
  measurements: [
    ...Array.from({ length: 9 }, (_, index) => ({ tool: 'sockperf', durationSeconds: 10, messageBytes: 64 + index })),
    { tool: 'iperf3', durationSeconds: 60 },
  ],
};

const started = process.hrtime.bigint();
const read = readPlan(submitted);
const problems = checkPlan(read, false);
const { plan } = read;
if (plan === undefined) throw new Error(`plan: must be valid, got ${JSON.stringify(problems)}`);
const eligibilities = plan.pairs.map((pair, index) => checkEligibility({ pair, index, offer }));
const pairs = expandPlan(plan, (index) => ({ ...elementAt(eligibilities, index), hasBareMetal: false }), 1, new Map());
const bytes = encodeJson(pairs).length;
const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
const measurementCount = pairs.reduce((sum, pair) => sum + pair.measurements.length, 0);
const counts = { measurementCount, pairCount: pairs.length, problems: problems.length, bytes };
console.log(JSON.stringify({ ...counts, milliseconds }));
