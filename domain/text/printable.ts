/** Makes foreign text safe to print: a terminal obeys some characters, and others reorder the text around them. */

/** C0, DEL and C1; lone surrogates; line and paragraph separators; characters that change the writing direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns the text on one line, with such characters as JSON escapes and tabs as spaces; JSON stays the same. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\t' ? ' ' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Does the same for a text of several lines, and keeps the lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Longer messages are cut; no tool prints one. */
export const MAX_MESSAGE_CHARACTERS = 2000;

export function printableMessage(text: string): string {
  const message = printable(text.slice(0, MAX_MESSAGE_CHARACTERS + 1));
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS - 3)}...`;
}
