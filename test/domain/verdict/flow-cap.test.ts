/** One flow at a level rate: which of EC2's caps, if any, explains the rate under the conditions of the pair. */
import { singleFlowCap } from '../../../domain/model/flow-cap';
import { facts, flowCapBetweenHosts, GIGA, judge } from '../../support/evidence';
import { stretches } from '../../support/rates';

const fast = facts('c7gn.16xlarge', 200, 200);

function verdictOnOneFlow(gigabitsPerSecond: number, ...conditions: Parameters<typeof flowCapBetweenHosts>) {
  return judge({
    series: stretches([60, gigabitsPerSecond * GIGA]),
    sender: fast,
    receiver: fast,
    flowCount: 1,
    singleFlowCap: flowCapBetweenHosts(...conditions),
  });
}

describe('with ENA Express on both hosts', () => {
  test('24.6 Gbit/s is explained by the cap of 25', () => {
    const verdict = verdictOnOneFlow(24.6, { enaExpress: 'both' });
    expect(verdict.cause).toBe('single_flow_cap');
    expect(verdict.explanation).toContain('a single flow is capped at 25.0 Gbit/s over ENA Express');
  });

  test.each([
    ['outside a placement group', { placement: 'none' as const }],
    ['in a cluster placement group', { placement: 'cluster' as const }],
  ])('9.7 Gbit/s %s is not explained by the cap of 10', (_, route) => {
    const verdict = verdictOnOneFlow(9.7, { ...route, enaExpress: 'both' });
    expect(verdict.kind).toBe('steady');
    expect(verdict.explanation).not.toContain('capped');
  });

  test('UDP has the cap of 25 only where ENA Express is on for UDP as well', () => {
    const cause = (giga: number, enaExpressUdp: boolean) =>
      verdictOnOneFlow(giga, { enaExpress: 'both', enaExpressUdp }, 'udp').cause;
    expect([cause(24.6, true), cause(24.6, false)]).toEqual(['single_flow_cap', null]);
    expect([cause(4.9, true), cause(4.9, false)]).toEqual([null, 'single_flow_cap']);
  });

  test('a load balancer between the hosts keeps the cap at 5', () => {
    const verdict = verdictOnOneFlow(4.9, { enaExpress: 'both', path: 'nlb' });
    expect(verdict.explanation).toContain('a single flow is capped at 5.0 Gbit/s through a load balancer');
    expect(verdictOnOneFlow(24.6, { enaExpress: 'both', path: 'nlb' }).kind).toBe('steady');
  });
});

test('ENA Express on one host changes nothing', () => {
  expect(verdictOnOneFlow(24.6, { enaExpress: 'one_side' }).kind).toBe('steady');
  expect(verdictOnOneFlow(4.9, { enaExpress: 'one_side' }).cause).toBe('single_flow_cap');
});

test('a cluster placement group does not speed up a flow to the object store', () => {
  const verdict = judge({
    series: stretches([60, 4.9 * GIGA]),
    sender: fast,
    flowCount: 1,
    singleFlowCap: singleFlowCap('tcp', 'object_store'),
  });
  expect(verdict.explanation).toContain('a single flow is capped at 5.0 Gbit/s to the object store');
});

test('of a scaled model, the cap is scaled as the published figures are', () => {
  const known = {
    flowCount: 1,
    singleFlowCap: flowCapBetweenHosts(),
    scaledModel: { name: 'lab', rateDivisor: 10, timeDivisor: 20 },
  };
  const verdict = (giga: number, peakGiga: number) => {
    const type = facts('c7gn.16xlarge', peakGiga, peakGiga);
    return judge({ series: stretches([60, giga * GIGA]), sender: type, receiver: type, ...known });
  };
  expect(verdict(0.496, 20).explanation).toContain(
    'a single flow is capped at 0.50 Gbit/s outside a cluster placement group (5.0 Gbit/s at the scale of EC2)',
  );
  // The cap of EC2 itself explains nothing there, nor does the scaled one where the type's own peak does.
  const causes = [verdict(0.496, 20), verdict(0.97, 20), verdict(4.96, 20), verdict(0.496, 0.5)].map(
    ({ cause }) => cause,
  );
  expect(causes).toEqual(['single_flow_cap', 'single_flow_cap', null, null]);
});

test('under unknown conditions (a file analysed offline), only the caps without ENA Express count', () => {
  const cause = (giga: number) =>
    judge({ series: stretches([60, giga * GIGA]), sender: fast, receiver: fast, flowCount: 1 }).cause;
  expect([4.9, 9.7, 24.6].map(cause)).toEqual(['single_flow_cap', 'single_flow_cap', null]);
});
