import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Returns the script of a page and its hash for the content security policy.
 * @param text the script as `browser/report/build.sh` writes it; `lib/functions/` puts the default beside the bundle
 */
export function pageScript(file: string, text = readFileSync(new URL(file, import.meta.url), 'utf8')) {
  const trimmed = text.trim();
  return { text: trimmed, hash: `sha256-${createHash('sha256').update(trimmed).digest('base64')}` };
}
