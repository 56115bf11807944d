import { fragmentsPerMessage, segmentBytes } from '../../../domain/model/packet-form';

const JUMBO = { path: 'private', mtuBytes: 9001 } as const;
const ETHERNET = { path: 'private', mtuBytes: 1500 } as const;

test.each([
  ['one byte less than two packets', { protocol: 'udp', datagramBytes: 1472 }, ETHERNET, undefined],
  ['one byte more than a packet', { protocol: 'udp', datagramBytes: 1473 }, ETHERNET, 2],
  // Of 9,001 bytes, 8,976 are a multiple of eight after the header.
  ['a second fragment that is full', { protocol: 'udp', datagramBytes: 17_944 }, JUMBO, 2],
  ['one byte more than that', { protocol: 'udp', datagramBytes: 17_945 }, JUMBO, 3],
  ['a message of sockperf', { protocol: 'udp', messageBytes: 1473 }, ETHERNET, 2],
  ['a ping', { messageBytes: 9000 }, JUMBO, 2],
  ['TCP, which cuts it itself', { protocol: 'tcp', messageBytes: 9000 }, JUMBO, undefined],
  ['a public path, without jumbo frames', { protocol: 'udp', datagramBytes: 8900 }, { ...JUMBO, path: 'public' }, 7],
  ["a route of the user's own", { protocol: 'udp', datagramBytes: 60_000 }, { ...JUMBO, path: 'own' }, undefined],
] as const)('%s: %j on %j is sent in %s fragments', (_, load, route, fragments) => {
  expect(fragmentsPerMessage(load as Parameters<typeof fragmentsPerMessage>[0], route)).toBe(fragments);
});

test('a TCP segment is what an MTU leaves, where it is known', () => {
  expect([JUMBO, ETHERNET].map(segmentBytes)).toEqual([8949, 1448]);
  expect(segmentBytes({ ...JUMBO, path: 'own' })).toBeUndefined();
});
