import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Returns the script of the report pages and its hash for their content security policy.
 * @param text the script as `browser/report/build.sh` writes it; `lib/functions/` puts the default beside the bundle
 */
export function pageScript(text = readFileSync(new URL('page-script.js', import.meta.url), 'utf8')) {
  const trimmed = text.trim();
  return { text: trimmed, hash: `sha256-${createHash('sha256').update(trimmed).digest('base64')}` };
}
