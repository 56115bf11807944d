/**
 * Text of a file, a host or an error, made safe to print: a terminal obeys some characters instead of showing them, and
 * others change the order or the lines of what surrounds them.
 */

/** C0, DEL and C1; halves of a surrogate pair; separators of lines and paragraphs; what changes the writing direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * The text on one line, each such character as its JSON escape (`\u001b`) and a tab as a space. JSON without indentation
 * stays JSON with the same values.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\t' ? ' ' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for a text of several lines, which it keeps. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A message of more characters is cut; no tool prints one. */
export const MAX_MESSAGE_CHARACTERS = 2000;

/** The text as a message: printable, and of at most `MAX_MESSAGE_CHARACTERS`. */
export function printableMessage(text: string): string {
  const message = printable(text.slice(0, MAX_MESSAGE_CHARACTERS + 1));
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS - 3)}...`;
}
