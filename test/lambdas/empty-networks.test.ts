/** What becomes of GuardDuty's endpoint and group in the stack's networks, over a network that takes its time. */
import { jest } from '@jest/globals';
import { emptyNetworks, type NetworkContents } from '../../lambdas/empty-buckets/empty-networks';

/** What is in the VPCs, for how many looks each is still there after its deletion, and what was done in turn. */
function networkWith(endpointIds: string[], groupIds: string[], looks: number) {
  const done: string[] = [];
  let looksLeft = Infinity;
  let refusals = looks;
  const network: NetworkContents = {
    guardDutyEndpointIds: (vpcIds) => {
      done.push(`find endpoints in ${vpcIds.join()}`);
      looksLeft -= 1;
      return Promise.resolve(looksLeft < 0 ? [] : endpointIds);
    },
    guardDutyGroupIds: () => Promise.resolve(groupIds),
    deleteEndpoints: (ids) => {
      done.push(`delete ${ids.join()}`);
      looksLeft = looks;
      return Promise.resolve();
    },
    deleteSecurityGroup: (id) => {
      refusals -= 1;
      if (refusals < 0) done.push(`delete ${id}`);
      return Promise.resolve(refusals < 0);
    },
    sleep: (milliseconds) => Promise.resolve(done.push(`wait ${milliseconds}`)),
  };
  return { network, done };
}

const log = jest.fn();
const FIND = 'find endpoints in vpc-1,vpc-2';
const WAIT = 'wait 5000';

test.each<[string, string[], string[], string[]]>([
  ['nothing', [], [], [FIND, FIND]],
  ['a group that was left', [], ['sg-1'], [FIND, FIND, WAIT, WAIT, 'delete sg-1']],
  [
    'both',
    ['vpce-1', 'vpce-2'],
    ['sg-1', 'sg-2'],
    [FIND, 'delete vpce-1,vpce-2', FIND, WAIT, FIND, WAIT, FIND, WAIT, WAIT, 'delete sg-1', 'delete sg-2'],
  ],
])('where there is %s', async (_, endpointIds, groupIds, expected) => {
  const { network, done } = networkWith(endpointIds, groupIds, 2);
  await emptyNetworks(['vpc-1', 'vpc-2'], log, network);
  expect(done).toEqual(expected);
});

test('looks at nothing where the stack has no network of its own, as no filter would hold it to one', async () => {
  const { network, done } = networkWith(['vpce-1'], ['sg-1'], 0);
  await emptyNetworks([], log, network);
  expect(done).toEqual([]);
});

test.each([
  ['vpce-1', ['vpce-1'], []],
  ['sg-1', [], ['sg-1']],
])('fails in time for an answer where %s stays', async (name, endpointIds, groupIds) => {
  const { network, done } = networkWith(endpointIds, groupIds, Infinity);
  await expect(emptyNetworks(['vpc-1'], log, network)).rejects.toThrow(
    `${name} of GuardDuty: must be gone by now, is still there`,
  );
  expect(done.filter((one) => one === WAIT)).toHaveLength(150);
});
