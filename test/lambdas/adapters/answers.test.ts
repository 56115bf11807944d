import { allOf } from '../../../lambdas/adapters/answers';

async function* pages(...all: readonly { readonly items?: readonly number[] }[]) {
  for (const page of all) yield Promise.resolve(page);
}

test('what all pages list comes in their order, and a page may list nothing', async () => {
  const read = allOf(pages({ items: [3, 1] }, {}, { items: [] }, { items: [2] }), ({ items }) => items);
  await expect(read).resolves.toEqual([3, 1, 2]);
});

test('a page may list more than a call has arguments', async () => {
  const items = Array.from({ length: 200_000 }, (_, index) => index);
  const read = await allOf(pages({ items: [-1] }, { items }), (page) => page.items);
  expect([read.length, read[0], read.at(-1)]).toEqual([200_001, -1, 199_999]);
});
