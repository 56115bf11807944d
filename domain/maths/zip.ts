/** Pairs of elements at the same position of two lists. */
export function zip<Left, Right>(left: readonly Left[], right: readonly Right[]): [Left, Right][] {
  if (left.length !== right.length) {
    throw new Error(`lists: must have the same length, got ${left.length} and ${right.length}`);
  }
  return left.map((each, index) => [each, right[index] as Right]);
}
