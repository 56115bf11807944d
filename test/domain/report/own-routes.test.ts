/** What a report says about the routes that are the account's own. */
import { describe, expect, test } from '@jest/globals';
import { cellInWords, cellOf } from '../../../domain/model/cell';
import type { ProbedPath } from '../../../domain/model/probed-path';
import type { MeasurementResult } from '../../../domain/model/result';
import { cellsOf } from '../../../domain/repetitions/cells';
import { compareRuns } from '../../../domain/run/comparison';
import { judgeExpectations } from '../../../domain/run/expectations';
import { numbered, roundTrips } from '../../support/compared-results';
import { pairCost } from '../../support/costs';
import { rowsOf, sectionOf } from '../../support/page-markup';
import { pageOf } from '../../support/report-input';

const OWN = {
  path: 'own',
  pairId: 'p0001',
  clientPinnedPlace: 'subnet-0000000a',
  serverPinnedPlace: 'subnet-0000000b',
} as const;
const own = (changes: Partial<MeasurementResult> = {}) => roundTrips(100, { ...OWN, ...changes });

const probed: ProbedPath = {
  runId: 'run-1',
  pairId: 'p0001',
  probedAt: '2026-11-20T10:00:00.000Z',
  from: { address: '10.80.1.4', subnetId: 'subnet-0000000a' },
  to: { address: '10.81.1.4', subnetId: 'subnet-0000000b', port: 5201 },
  answer: 'refused',
  attempts: 1,
  seconds: 0.21,
  problem: null,
  pathMtuBytes: 8500,
  hopCount: 2,
  route: [' 1:  10.80.1.1  0.1ms', ' 2:  10.81.1.4  0.3ms reached'],
  routeProblem: null,
};

const rowsWith = (result: MeasurementResult, cost: Parameters<typeof pairCost>[0], path: ProbedPath) =>
  rowsOf(sectionOf(pageOf([result], { pairCosts: [pairCost(cost)], probedPaths: [path] }), 'own-routes'));

describe('the section on own routes', () => {
  test('has subnet, VPC, zone and image of both ends, and what the probe found', () => {
    expect(rowsWith(own(), {}, probed)).toEqual([
      'Pair | Client | Server | TCP connection | Path MTU, bytes | Hops | Route',
      'p0001 / c5.xlarge ⇄ c5.xlarge | subnet-1 / vpc-1 / eu-central-1a euc1-az2 / ami-1 | subnet-2 / vpc-2 / eu-central-1b euc1-az3 / ami-2 | refused after 210 ms / port 5201, which proves that the route works: no program was listening yet | 8 500 | 2 | hops 1: 10.80.1.1 0.1ms 2: 10.81.1.4 0.3ms reached',
    ]);
  });

  test('of a route on which nothing arrived, says how it was tried, and of a host that was not launched what the plan says', () => {
    const nothing = { ...probed, answer: null, attempts: 3, seconds: 15, problem: 'No route to host' };
    const lost = { ...nothing, pathMtuBytes: undefined, hopCount: undefined, routeProblem: 'tracepath is missing' };
    const failed = own({ status: 'failed', reason: 'nothing arrived' });
    expect(rowsWith(failed, { clientZone: undefined }, lost)).toEqual([
      'Pair | Client | Server | TCP connection | Route',
      'p0001 / c5.xlarge ⇄ c5.xlarge | subnet-0000000a | subnet-2 / vpc-2 / eu-central-1b euc1-az3 / ami-2 | nothing arrived / port 5201, 3 connections in 15.0 s: No route to host | tracepath is missing',
    ]);
  });

  test('is absent without such a route', () => {
    expect(pageOf([roundTrips(100)])).not.toContain('own-routes');
  });
});

describe('the identity of what is measured over own routes', () => {
  test('has the pair of subnets, so that only the same ones are repetitions', () => {
    const elsewhere = own({ serverPinnedPlace: 'subnet-0000000c' });
    expect(cellsOf(numbered([[own(), own(), elsewhere]])).map(({ results }) => results.length)).toEqual([2, 1]);
    expect(cellOf(own())).toContain('path=own ');
    expect(cellOf(own())).toContain('client_pinned_place=subnet-0000000a server_pinned_place=subnet-0000000b ');
    expect(cellInWords(own())).toContain(
      "route of the user's own, ENA Express off, MTU 9001, client in subnet-0000000a, server in subnet-0000000b",
    );
  });

  test('has a pinned zone and image, and nothing new for a plan that pins nothing', () => {
    const free = roundTrips(100);
    expect(cellOf(roundTrips(100, { clientPinnedPlace: 'use1-az4' }))).not.toBe(cellOf(free));
    expect(cellOf(roundTrips(100, { clientPinnedImage: '/own/image' }))).not.toBe(cellOf(free));
    expect(cellOf(free)).not.toContain('pinned');
  });

  test('is that of the run that it is compared with, and of its expectations', () => {
    const [earlier, now] = [numbered([[own(), own()]]), numbered([[own(), own()]])];
    const comparedRun = compareRuns('earlier', earlier, now);
    expect(comparedRun.compared).toHaveLength(1);
    const expectation = { pair: now[0]!.planPairIndex, 'rttMicros.mean': { max: 500, maxPercentAbove: 10 } };
    const judged = judgeExpectations({
      plan: { expect: [expectation] },
      results: now,
      costUsd: null,
      otherRun: { runId: 'earlier', results: earlier },
    });
    expect(judged?.judged.map(({ status }) => status)).not.toContain('not_measured');
  });
});
