/** Elements whose index is right by construction. A wrong index is a defect, and an error where it happens. */

/** For inner loops over numbers. It is separate because a call that only receives typed arrays runs faster. */
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
