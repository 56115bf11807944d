/** The answer's sentences say each condition and setting in English. */
import * as z from 'zod';
import { phrase, phrasesListed } from '../../../domain/answer/phrases';
import { CONDITIONS } from '../../../domain/model/conditions';
import { wordsOf } from '../../../domain/model/setting';
import { settingsInWords, type MeasurementSettings } from '../../../domain/model/settings';

/** What follows `a pair`, for each value of each condition; null for a value that is not mentioned. */
const SAID = {
  zoneRelation: { same_zone: 'in the same zone', other_zone: 'in different zones' },
  placement: {
    none: 'without a placement group',
    cluster: 'in a cluster placement group',
    spread: 'in a spread placement group',
    partition: 'in a partition placement group',
  },
  path: {
    private: 'over private addresses',
    public: 'over public addresses',
    nlb: 'through a load balancer',
    peering: 'over VPC peering',
    own: "over the user's own route",
  },
  enaExpress: {
    off: 'without ENA Express',
    one_side: 'with ENA Express on the client only',
    both: 'with ENA Express on both hosts',
  },
  enaExpressUdp: { true: 'with ENA Express for UDP too', false: null },
  mtuBytes: {
    9001: 'with an MTU of 9001 bytes',
    8900: 'with an MTU of 8900 bytes',
    1500: 'with an MTU of 1500 bytes',
  },
  clientCpuCredits: {
    standard: 'with standard CPU credits on the client',
    unlimited: 'with unlimited CPU credits on the client',
  },
  serverCpuCredits: {
    standard: 'with standard CPU credits on the server',
    unlimited: 'with unlimited CPU credits on the server',
  },
  clientPinnedPlace: { 'subnet-1': 'with the client in subnet-1' },
  serverPinnedPlace: { 'use1-az4': 'with the server in use1-az4' },
  clientPinnedImage: { 'ami-1': 'with the client launched from ami-1' },
  serverPinnedImage: { '/own/image': 'with the server launched from /own/image' },
};

describe('a condition in a sentence', () => {
  test.each(Object.entries(SAID))('%s is said in English, whatever its value', (name, said) => {
    const { schema } = CONDITIONS[name as keyof typeof CONDITIONS];
    const { enum: listed, type } = z.toJSONSchema(schema);
    const values = listed ?? (type === 'boolean' ? [true, false] : Object.keys(said));
    const phrases = values.map((value) => {
      const [words] = wordsOf(CONDITIONS, { [name]: value });
      return [String(value), words === undefined ? null : phrase(words)];
    });
    expect(Object.fromEntries(phrases)).toEqual(said);
  });

  test('that is none of these has a test as well', () => {
    expect(Object.keys(SAID)).toEqual(Object.keys(CONDITIONS));
  });

  test.each([
    ['same zone, private address', 'in the same zone over private addresses'],
    [
      'other zone, cluster group, load balancer',
      'in different zones in a cluster placement group through a load balancer',
    ],
    [
      'private address, ENA Express both, MTU 8900',
      'over private addresses with ENA Express on both hosts and an MTU of 8900 bytes',
    ],
    ['same zone, displaced', 'in the same zone in other subnets than planned'],
    ['public address, UDP, 8 streams, reverse', 'over public addresses with UDP, 8 streams and reverse traffic'],
    ['s3, download, HTTPS, objects of 64 MB', 'by s3 in downloads over HTTPS with objects of 64 MB'],
    ['c5.large', 'with the defaults'],
  ])('%j is one phrase', (label, said) => {
    expect(phrase(label)).toBe(said);
  });

  test.each([
    [['with 8 streams', 'with 12 streams'], 'with 8 streams and 12 streams'],
    [['with 8 streams', 'over VPC peering'], 'with 8 streams and over VPC peering'],
  ])('%j are one list', (phrases, said) => {
    expect(phrasesListed(phrases)).toBe(said);
  });

  test('is listed with settings that have a comma themselves', () => {
    const settings = {
      mssBytes: 1400,
      congestionControl: 'bbr',
      intervalMillis: 10,
      dutyCycle: { onSeconds: 10, offSeconds: 5 },
      latencyProbe: { messageBytes: 64, messagesPerSecond: 1000 },
    } as unknown as MeasurementSettings;
    expect(phrase(`load balancer, ${settingsInWords(settings)}`).replace(/\s/g, ' ')).toBe(
      'through a load balancer with an MSS of 1 400 bytes, bbr, a packet every 10 ms, cycles of 10 s on, 5 s off and a latency probe of 64 bytes, 1 000 a second',
    );
  });
});
