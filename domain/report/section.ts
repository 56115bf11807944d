/** A part of the report that the contents lists. The frame puts its heading and its id around it. */
import type { Html } from './page/html';

export interface Section {
  /** Unique within the page, and what links to the section name. */
  readonly id: string;
  readonly title: string;
  /** What stands below the heading. */
  readonly html: Html;
}
