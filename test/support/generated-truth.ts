/** What the answer of a generated run has to be, computed from its true buckets and rates alone. */
import { isSeen, onsetOf, rateOf, type GeneratedRun, type Setting, type Subject } from './generated-answers';

export interface TrueHold {
  readonly kind: 'always' | 'for' | 'at_least' | 'never';
  /** Of `for`: the true time; of `at_least`: what the bound must not exceed. */
  readonly seconds: number;
  readonly reached: number;
  readonly pairs: number;
}

export interface TrueRow {
  readonly name: string;
  readonly subject: Subject;
  readonly sustained: { readonly bound: 'measured' | 'at_least' | 'at_most'; readonly value: number };
  /** The settings that show the sustained rate; more than one where they do not differ. */
  readonly best: readonly string[];
  /** The lowest and highest measured rate of all settings. */
  readonly spread: readonly [number, number] | undefined;
  /** undefined: no measurement shows it. Several where settings do not differ. */
  readonly holdAt: (rate: number) => TrueHold | undefined;
}

/** A rate counts as reached from 94 % of it. */
const isReached = (measured: number, rate: number) => measured >= 0.94 * rate;

export function trueRows({ question, subjects, settings }: GeneratedRun): TrueRow[] {
  const [only] = subjects;
  if (question !== 'settings' || only === undefined) {
    return subjects.map((subject) => trueRow(subject.name, subject, settings));
  }
  return settings.map((setting) =>
    trueRow(`${setting.streams} stream${setting.streams === 1 ? '' : 's'}`, only, [setting]),
  );
}

function trueRow(name: string, subject: Subject, settings: readonly Setting[]): TrueRow {
  const each = settings.map((setting) => ({ words: setting.words, ...sustainedIn(subject, setting) }));
  const measured = each.filter(({ bound }) => bound === 'measured');
  const ofBound = (wanted: string) => each.filter(({ bound }) => bound === wanted);
  const highest = (some: typeof each) => Math.max(...some.map(({ value }) => value));
  // What was measured goes before a bound, unless more than that was carried for certain.
  const candidates = [measured, ofBound('at_least'), ofBound('at_most')].filter(({ length }) => length > 0);
  const [first = [], second = []] = candidates;
  const isMore = second[0]?.bound === 'at_least' && highest(second) > 1.05 * highest(first);
  const shown = isMore ? second : first;
  const [{ bound }] = shown as [(typeof each)[number]];
  const values = measured.map(({ value }) => value);
  return {
    name,
    subject,
    sustained: { bound, value: highest(shown) },
    best: shown.filter(({ value }) => value > highest(shown) / 1.1).map(({ words }) => words),
    spread: values.length > 1 ? [Math.min(...values), Math.max(...values)] : undefined,
    holdAt: (rate) =>
      settings
        .flatMap((setting) => holdIn(subject, setting, rate) ?? [])
        .sort((left, right) => rankOf(right) - rankOf(left))[0],
  };
}

/** A setting in which nine in ten pairs reach the rate goes before one that lasts longer. */
const rankOf = ({ kind, seconds, reached, pairs }: TrueHold) =>
  kind === 'never' ? -1 : (reached >= 0.9 * pairs ? 1e12 : 0) + Math.min(seconds, 1e11);

function observed(subject: Subject, setting: Setting) {
  return subject.bursts.flatMap((burst, pair) =>
    setting.durations.map((duration) => {
      const rate = rateOf(subject, setting, burst);
      const onset = onsetOf(subject, rate);
      return { pair, rate, onset, duration, hasFallen: isSeen(onset, duration) };
    }),
  );
}

function sustainedIn(subject: Subject, setting: Setting): TrueRow['sustained'] {
  const all = observed(subject, setting);
  if (all.some(({ hasFallen }) => hasFallen)) return { bound: 'measured', value: subject.baseline };
  // Without published figures, a rate that did not fall is taken for what is sustained.
  const lasting = all.filter(({ onset }) => onset === Infinity || !subject.isPublished);
  const [first] = lasting;
  if (first === undefined) return { bound: 'at_most', value: Math.min(...all.map(({ rate }) => rate)) };
  return { bound: first.rate === setting.offered ? 'at_least' : 'measured', value: first.rate };
}

type Known = Pick<TrueHold, 'kind' | 'seconds'> & { readonly pair: number };

function holdIn(subject: Subject, setting: Setting, asked: number): TrueHold | undefined {
  const { baseline, volume } = subject;
  const known = observed(subject, setting).flatMap(({ pair, rate, onset, duration, hasFallen }): Known[] => {
    const top = Math.min(asked, rate);
    const lasts = isReached(baseline, asked) || top <= baseline ? Infinity : (volume ?? Infinity) / (top - baseline);
    if (!isReached(rate, asked)) return rate === setting.offered ? [] : [{ pair, kind: 'never', seconds: 0 }];
    if (subject.isNoisy && !isReached(0.6 * rate, asked)) return [];
    if (!subject.isPublished && !hasFallen) return [{ pair, kind: 'at_least', seconds: duration }];
    if (onset === Infinity || lasts === Infinity) return [{ pair, kind: 'always', seconds: Infinity }];
    if (hasFallen) return [{ pair, kind: 'for', seconds: lasts }];
    return [{ pair, kind: 'at_least', seconds: ((rate - baseline) * duration) / (top - baseline) }];
  });
  if (known.length === 0) return undefined;
  const reaching = known.filter(({ kind }) => kind !== 'never');
  const share = {
    reached: new Set(reaching.map(({ pair }) => pair)).size,
    pairs: new Set(known.map(({ pair }) => pair)).size,
  };
  const of = (wanted: TrueHold['kind']) => reaching.filter(({ kind }) => kind === wanted).map(({ seconds }) => seconds);
  if (reaching.length === 0) return { kind: 'never', seconds: 0, ...share };
  if (of('always').length >= 0.9 * reaching.length) return { kind: 'always', seconds: Infinity, ...share };
  const ended = of('for');
  if (ended.length === 0) return { kind: 'at_least', seconds: Math.min(...of('at_least')), ...share };
  return { kind: 'for', seconds: ended.reduce((total, seconds) => total + seconds, 0) / ended.length, ...share };
}

/** Whom a sentence must name as first, and whom it may: true values within the noise of the highest one. */
export function pickOf(scored: readonly { readonly name: string; readonly value: number; readonly noise: number }[]) {
  const top = Math.max(...scored.map(({ value }) => value));
  const noise = Math.max(...scored.map((each) => each.noise));
  const isWithin = (share: number) => scored.filter(({ value }) => value * share >= top).map(({ name }) => name);
  return { must: isWithin(1.025), may: isWithin(1.12 + 10 * noise) };
}
