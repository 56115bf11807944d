/** Elements whose index is right by construction. A wrong index is a defect, and it is reported where it happens. */

type NumberArray = Float64Array | Int32Array;

/** For inner loops over numbers: a function of its own, because a call site that only sees typed arrays runs faster. */
export function numberAt(values: NumberArray, index: number): number {
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
