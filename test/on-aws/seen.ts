/** The sentence of README's first screen that says what has been seen on AWS, from the last proof that is kept. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from './checks/index';
import type { Proof } from './table';

/** `npm run prove -- --profile P --output docs/reference` writes it. */
const PROOF = join(__dirname, '../../docs/reference/proof.json');
export const SEEN_ON_AWS = 'Seen on AWS:';
const NAMED_CHECKS = 3;

export function lastProof(path = PROOF): Proof | undefined {
  if (!existsSync(path)) return undefined;
  const proof = JSON.parse(readFileSync(path, 'utf8')) as Proof;
  if (proof.place === undefined) return proof;
  throw new Error(`${path}: must be of an account of AWS, is of ${proof.place}`);
}

export function seenOnAws(proof: Proof | undefined): string {
  const lead = `**${SEEN_ON_AWS}**`;
  if (proof === undefined) {
    return `${lead} nothing: this has not been run on AWS.`;
  }
  const { version, region, startedAt, checks } = proof;
  const proven = checks.filter(({ verdict }) => verdict === 'proven').map(({ id }) => id);
  const unseen = CHECKS.map(({ id }) => `\`${id}\``).filter((id) => !proven.includes(id.slice(1, -1)));
  const more = unseen.length - NAMED_CHECKS;
  const names = [...unseen.slice(0, NAMED_CHECKS), ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'nothing';
  return (
    `${lead} ${CHECKS.length - unseen.length} of ${CHECKS.length} checks of version ${version}, in ${region} on ` +
    `${startedAt.slice(0, 10)} ([each](docs/reference/proof.md)); not seen: ${names}.`
  );
}

/** @returns README with the sentence, which is the last of its paragraph */
export function withSeenOnAws(readme: string, sentence = seenOnAws(lastProof())): string {
  const [before, after] = readme.split(/\*\*Seen on AWS:\*\*.*\n/);
  if (before === undefined || after === undefined) throw new Error(`README.md: must have a line **${SEEN_ON_AWS}**`);
  return `${before}${sentence}\n${after}`;
}
