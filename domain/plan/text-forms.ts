/** The patterns of a plan's texts, each with words for it, so that no one has to read a pattern in a refusal. */
import { INSTANCE_TYPE } from '../forecast/prices/price-table';
import { CONGESTION_CONTROL } from '../model/settings';
import { RUN_ID_PATTERN } from '../workflow/identifiers';
import { TAG_KEY, TAG_KEY_WORDS, TAG_VALUE, TAG_VALUE_WORDS } from '../workflow/user-tags';

export const PLAN_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
export const SUBNET_ID = /^subnet-[0-9a-f]{8,17}$/;
export const ZONE_ID = /^[a-z0-9]+(-[a-z0-9]+)+$/;
export const IMAGE_ID = /^(ami-[0-9a-f]{8,17}|(\/[A-Za-z0-9_.-]+){2,15})$/;

const WORDS = new Map<RegExp, string>([
  [INSTANCE_TYPE, 'an EC2 instance type, such as c5.xlarge'],
  [PLAN_NAME, '1 to 64 letters (A-Z, a-z), digits, spaces and . _ -, starting with a letter or a digit'],
  [RUN_ID_PATTERN, '1 to 74 letters (A-Z, a-z), digits, _ and -, starting with a letter or a digit'],
  [SUBNET_ID, 'the id of a subnet, such as subnet-0123456789abcdef0'],
  [ZONE_ID, 'the id of a zone, such as use1-az4'],
  [
    IMAGE_ID,
    'the id of an image, such as ami-0123456789abcdef0, or the name of an SSM parameter, such as /images/mine',
  ],
  [CONGESTION_CONTROL, 'the name of a congestion control, such as cubic, reno or bbr'],
  [TAG_KEY, TAG_KEY_WORDS],
  [TAG_VALUE, TAG_VALUE_WORDS],
]);

/** Patterns that allow a set of characters, with that set. Other patterns have no single wrong character to name. */
const CHARACTERS = new Map<RegExp, RegExp>([
  [PLAN_NAME, /[A-Za-z0-9 ._-]/],
  [RUN_ID_PATTERN, /[A-Za-z0-9_-]/],
  [TAG_VALUE, /[\p{L}\p{Z}\p{N}_.:/=+@-]/u],
]);
const CHARACTERS_OF_SOURCE = new Map([...CHARACTERS].map(([{ source }, characters]) => [source, characters]));
/** At most this many wrong characters are named. */
const MAX_NAMED_CHARACTERS = 5;

/** Returns `, so without "/" and ":"` for the characters that the pattern does not allow; empty if there are none. */
export function strayCharactersInWords(pattern: string, text: string): string {
  const allowed = CHARACTERS_OF_SOURCE.get(pattern);
  if (allowed === undefined) return '';
  const stray = [...new Set(text)].filter((character) => !allowed.test(character));
  const named = stray.slice(0, MAX_NAMED_CHARACTERS).map((character) => JSON.stringify(character));
  const parts = stray.length > named.length ? [...named, 'others'] : named;
  if (parts.length === 0) return '';
  return `, so without ${[parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ')}`;
}

const WORDS_OF_SOURCE = new Map([...WORDS].map(([{ source }, words]) => [source, words]));

export function formInWords(pattern: string): string {
  const words = WORDS_OF_SOURCE.get(pattern);
  if (words === undefined) throw new Error(`text form: must have words, got ${pattern}`);
  return words;
}
