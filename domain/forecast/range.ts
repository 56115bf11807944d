/** A figure as it is expected, and the most that it can be. */
export interface Range<Figure> {
  readonly expected: Figure;
  readonly upper: Figure;
}

export type Bound = keyof Range<unknown>;

export function range<Figure>(figureOf: (bound: Bound) => Figure): Range<Figure> {
  return { expected: figureOf('expected'), upper: figureOf('upper') };
}
