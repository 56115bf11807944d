import { describe, expect, test } from '@jest/globals';
import type { EnaSrdPackets } from '../../../domain/model/result';
import type { HostFacts } from '../../../domain/model/raw-chunk';
import { enaExpressSetupWarnings, enaExpressShortfall } from '../../../domain/verdict/ena-express';

const BOTH = { enaExpress: 'both', enaExpressUdp: false } as const;
const packets = (sent: number, eligible: number): EnaSrdPackets => ({ sent, eligible, received: 0 });

describe('what ENA Express did not carry', () => {
  test('is not asked for where it is off', () => {
    expect(enaExpressShortfall({ ...BOTH, enaExpress: 'off' }, 'tcp', packets(0, 0), packets(0, 0))).toBeUndefined();
  });

  test('is everything where one host alone has it', () => {
    expect(enaExpressShortfall({ ...BOTH, enaExpress: 'one_side' }, 'tcp', undefined, undefined)).toBe(
      'ENA Express was on at the client only, but works only if it is on at both hosts',
    );
  });

  test('is UDP where it is on for TCP alone', () => {
    const ofUdp = (enaExpressUdp: boolean) =>
      enaExpressShortfall({ ...BOTH, enaExpressUdp }, 'udp', packets(900, 1000), packets(0, 0));
    expect(ofUdp(false)).toBe('ENA Express was on for TCP only, but the traffic was UDP');
    expect(ofUdp(true)).toBeUndefined();
  });

  test('is unknown where no host counts its packets', () => {
    expect(enaExpressShortfall(BOTH, 'tcp', undefined, undefined)).toBeUndefined();
  });

  test.each<[string, EnaSrdPackets | undefined, EnaSrdPackets | undefined, string | undefined]>([
    [
      'nothing eligible',
      packets(0, 0),
      packets(0, 0),
      'ENA Express was on at both hosts, but no packet was eligible for it',
    ],
    [
      'a sender whose packets went without it, acknowledged with it',
      packets(1_000, 20_000),
      packets(4_000, 4_000),
      'ENA Express carried 5 000 of the 24 000 packets that were eligible for it',
    ],
    ['a sender in reverse, the only host that counts', undefined, packets(9_990, 10_000), undefined],
    ['half of the packets', packets(500, 1_000), undefined, undefined],
  ])('%s', (_, client, server, shortfall) => {
    expect(enaExpressShortfall(BOTH, 'tcp', client, server)?.replace(/\s/g, ' ')).toBe(shortfall);
  });
});

describe('a host that is not set up as AWS asks', () => {
  const asAsked: HostFacts = {
    mtuBytes: 8900,
    rxRingLength: 8192,
    tcpLimitOutputBytes: 1_048_576,
    hasByteQueueLimits: false,
    hasTcpAutocorking: false,
  };
  const warnings = (
    facts: Partial<Record<'client' | 'server', HostFacts>>,
    conditions: Partial<Parameters<typeof enaExpressSetupWarnings>[0]> = {},
  ) => enaExpressSetupWarnings({ enaExpress: 'both', zoneRelation: 'same_zone', ...conditions }, facts);

  test('is not one that is, nor one whose facts are unknown', () => {
    expect(warnings({ client: asAsked, server: asAsked })).toEqual([]);
    expect(warnings({ client: {} })).toEqual([]);
  });

  test.each<[string, HostFacts]>([
    ['MTU 9\u202f001 bytes instead of at most 8\u202f900', { mtuBytes: 9001 }],
    ['receive ring 1\u202f024 packets instead of at least 8\u202f192', { rxRingLength: 1024 }],
    [
      'tcp_limit_output_bytes 262\u202f144 bytes instead of at least 1\u202f048\u202f576',
      { tcpLimitOutputBytes: 262_144 },
    ],
    ['byte queue limits on', { hasByteQueueLimits: true }],
    ['tcp_autocorking on', { hasTcpAutocorking: true }],
  ])('%s', (fault, facts) => {
    expect(
      warnings({ client: asAsked, server: { ...asAsked, ...facts } }).map((text) => text.replace(/\s/g, ' ')),
    ).toEqual([`server: not set up as AWS asks for ENA Express: ${fault}`.replace(/\s/g, ' ')]);
  });

  test('has 4 MB to send between zones, where 1 MB is too few', () => {
    expect(warnings({ client: asAsked }, { zoneRelation: 'other_zone' })).toHaveLength(1);
    expect(
      warnings({ client: { ...asAsked, tcpLimitOutputBytes: 4_194_304 } }, { zoneRelation: 'other_zone' }),
    ).toEqual([]);
  });

  test('is one that has ENA Express on', () => {
    const facts = { client: { mtuBytes: 9001 }, server: { mtuBytes: 9001 } };
    expect(warnings(facts, { enaExpress: 'off' })).toEqual([]);
    expect(warnings(facts, { enaExpress: 'one_side' })).toHaveLength(1);
  });
});
