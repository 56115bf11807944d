/** What the browser lets our pages do. */
import { REPORT_SCRIPT_HASH } from './interactive/report-script';

/**
 * The browser enforces that the page loads nothing and runs nothing but our own script, even if a value ever got past the
 * escaping.
 */
export const CONTENT_POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '${REPORT_SCRIPT_HASH}'`;
