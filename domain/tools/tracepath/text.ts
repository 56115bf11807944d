/** Parses the text of iputils' tracepath: the number of hops, and the largest packet that the route carries. */
import { numberIn, plainText } from '../../parsers/text-lines';
import type { ConditionsOutput } from '../../parsers/tool-output';
import { anyLine, type OutputForm } from '../output-forms';

/** Recognised by the hop of this host itself, or by the summary. */
export const TRACEPATH_FORM: OutputForm = {
  name: 'tracepath',
  line: anyLine(String.raw`^ +Resume: pmtu \d+`, String.raw`^ *\d+\??: .*\[LOCALHOST\]`),
  parse: parseTracepathText,
};

/** A hop: ` 2:  10.0.1.2     0.081ms reached`; `1?:` is the answer of this host's own interface. */
const HOP = /^ *\d+(\??): +(\S.*)$/;
const ROUND_TRIP = / \d+[.,]\d+ ?ms\b/;

/** @returns the last hop that answered; undefined if none did */
export function lastAnsweringHop(text: string): { hop: number; address: string } | undefined {
  const answered = plainText(text)
    .split('\n')
    .flatMap((line) => {
      const [, hop, answer] = /^ *(\d+): +(\S.*)$/.exec(line) ?? [];
      if (hop === undefined || answer === undefined || !ROUND_TRIP.test(answer)) return [];
      return [{ hop: Number(hop), address: answer.slice(0, answer.indexOf(' ')) }];
    });
  return answered.at(-1);
}

export function parseTracepathText(text: string): ConditionsOutput {
  const plain = plainText(text);
  const lines = plain.split('\n');
  const hops = lines.flatMap((line) => {
    const [, ownMark, answer] = HOP.exec(line) ?? [];
    return answer === undefined ? [] : [{ isOwn: ownMark === '?', answer }];
  });
  const isReached = hops.some(({ answer }) => /\breached\b/.test(answer));
  // Before 2014, the answer of this host's own interface looks like a first hop.
  const isOwnMtu = (hop: (typeof hops)[number], index: number) =>
    hop.isOwn || (index === 0 && hop.answer.includes('pmtu'));
  const isAnswered = hops.some((hop, index) => !isOwnMtu(hop, index) && ROUND_TRIP.test(hop.answer));
  const errors = lines.flatMap((line) => /^(?:tracepath\d?: | *\d+: +(?=send failed))(.+)$/.exec(line)?.[1] ?? []);
  const resume = /^ *Resume: pmtu .*$/m.exec(plain)?.[0];
  const hasAnswer = isReached || isAnswered;
  const incompleteReason = errors.at(-1) ?? missingPart(resume !== undefined, hasAnswer);
  return {
    kind: 'conditions',
    tool: 'tracepath',
    toolVersion: /from iputils[- ]s?([\d.]+)/.exec(plain)?.[1],
    // Without any answer, the path MTU that tracepath prints is this host's own.
    pathMtuBytes: resume === undefined || !hasAnswer ? undefined : numberIn(resume, /pmtu (\d+)/),
    hopCount: resume === undefined || !isReached ? undefined : numberIn(resume, /hops (\d+)/),
    complete: incompleteReason === undefined,
    incompleteReason,
    errors,
    warnings:
      isReached || !hasAnswer
        ? []
        : [
            'the server did not answer: the path MTU is that of the way to the last hop that did, and the hops are unknown',
          ],
  };
}

function missingPart(hasResume: boolean, hasAnswer: boolean): string | undefined {
  if (!hasResume) return 'no final summary';
  return hasAnswer ? undefined : 'no hop answered, the server neither';
}
