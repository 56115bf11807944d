/** Who says a figure, since when. */
export interface Source {
  /** A short name for tables. */
  readonly name: string;
  /** `2026-11` where only the month is known. */
  readonly date: string;
  readonly text: string;
}
