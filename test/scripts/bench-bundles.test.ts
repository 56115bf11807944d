import { bundleSizes } from '../../research/bench-bundles';

test('every bundle stays under its limit', async () => {
  const sizes = await bundleSizes();
  expect(sizes.length).toBeGreaterThanOrEqual(7);
  expect(sizes.filter(({ sizeBytes, limitBytes }) => sizeBytes > limitBytes)).toEqual([]);
  for (const { sizeBytes } of sizes) expect(sizeBytes).toBeGreaterThan(100_000);
});
