/** The same text whatever the order of the keys, which CloudFormation and Systems Manager may change. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item !== 'object' || item === null || Array.isArray(item)
      ? item
      : Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}
