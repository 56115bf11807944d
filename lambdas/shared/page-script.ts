import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * The script of the pages, and its hash for their content policy.
 *
 * @param text as `browser/report/build.sh` writes it. @default what `lib/functions/` has put beside the bundle
 */
export function pageScript(text = readFileSync(new URL('page-script.js', import.meta.url), 'utf8')) {
  const trimmed = text.trim();
  return { text: trimmed, hash: `sha256-${createHash('sha256').update(trimmed).digest('base64')}` };
}
