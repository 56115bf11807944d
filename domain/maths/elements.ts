/** Access to elements whose index is right by construction; a wrong index is a defect and throws an error. */

/** A separate function for inner loops over numbers, because a call that only receives typed arrays runs faster. */
export function numberAt(values: Float64Array, index: number): number {
  return values[index] ?? outside(index, values.length);
}

/** @param index counts from the end where it is negative, as in `Array.prototype.at` */
export function elementAt<Item>(items: ArrayLike<Item>, index: number): Item {
  // `at` is several times slower than an index in the loops of the detector.
  const item = items[index < 0 ? items.length + index : index];
  return item === undefined ? outside(index, items.length) : item;
}

function outside(index: number, length: number): never {
  throw new RangeError(`index: must be an element of ${length}, got ${index}`);
}

/** Pairs of elements at the same position of two lists. */
export function zip<Left, Right>(left: readonly Left[], right: readonly Right[]): [Left, Right][] {
  if (left.length !== right.length) {
    throw new Error(`lists: must have the same length, got ${left.length} and ${right.length}`);
  }
  return left.map((each, index) => [each, right[index] as Right]);
}

/** Like `Map.groupBy`, but with a type that excludes empty groups. Keys are in the order of appearance. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
