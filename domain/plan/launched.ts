/** Pairs of which nothing can be measured are recorded, priced at nothing, and not launched. */
export function isLaunched(pair: { readonly measurements: readonly { readonly notApplicable?: string }[] }): boolean {
  return pair.measurements.some(({ notApplicable }) => notApplicable === undefined);
}
