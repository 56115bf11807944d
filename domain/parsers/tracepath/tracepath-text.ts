/** The text of iputils' tracepath: how many hops a route has and what the largest packet is that it carries. */
import { withoutAbsent } from '../tool-series';
import { numberOf } from '../number-of';
import { plainLines } from '../plain-line';
import type { ConditionsOutput } from '../tool-output';

/** ` 2:  10.0.1.2     0.081ms reached`; `1?:` is what this host's own interface said. */
const HOP = /^ *\d+(\??): +(\S.*)$/;

export function isTracepathText(text: string): boolean {
  return /^ +Resume: pmtu \d+/m.test(text) || /^ *\d+\??: .*\[LOCALHOST\]/m.test(text);
}

export function parseTracepathText(text: string): ConditionsOutput {
  const lines = plainLines(text);
  const hops = lines.flatMap((line) => {
    const [, isOwn, said] = HOP.exec(line) ?? [];
    return said === undefined ? [] : [{ isOwn: isOwn === '?', said }];
  });
  const isReached = hops.some(({ said }) => /\breached\b/.test(said));
  // Before 2014 what the own interface said looks like a first hop.
  const isOwnMtu = (hop: (typeof hops)[number], index: number) =>
    hop.isOwn || (index === 0 && hop.said.includes('pmtu'));
  const isAnswered = hops.some((hop, index) => !isOwnMtu(hop, index) && / \d+[.,]\d+ ?ms\b/.test(hop.said));
  const errors = lines.flatMap((line) => /^(?:tracepath\d?: | *\d+: +(?=send failed))(.+)$/.exec(line)?.[1] ?? []);
  const resume = /^ *Resume: pmtu .*$/m.exec(text)?.[0];
  const hasAnswer = isReached || isAnswered;
  const reason = errors.at(-1) ?? missingPart(resume !== undefined, hasAnswer);
  return withoutAbsent({
    kind: 'conditions' as const,
    tool: 'tracepath',
    toolVersion: /from iputils[- ]s?([\d.]+)/.exec(text)?.[1],
    // Where nobody answered, what it names is this host's own MTU.
    pathMtuBytes: resume === undefined || !hasAnswer ? undefined : numberOf(resume, /pmtu (\d+)/),
    hopCount: resume === undefined || !isReached ? undefined : numberOf(resume, /hops (\d+)/),
    complete: reason === undefined,
    incompleteReason: reason,
    errors,
    warnings:
      isReached || !hasAnswer
        ? []
        : [
            'the server did not answer: the path MTU is that of the way to the last hop that did, and the hops are unknown',
          ],
  });
}

function missingPart(hasResume: boolean, hasAnswer: boolean): string | undefined {
  if (!hasResume) return 'no final summary';
  return hasAnswer ? undefined : 'no hop answered, the server neither';
}
