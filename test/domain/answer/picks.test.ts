/** The answers of generated runs are compared with the truth from which the runs were made. */
import { runAnswer } from '../../../domain/answer/run-answer';
import { holdAt, type AnswerRow } from '../../../domain/model/answer';
import { generatedRun, type GeneratedRun } from '../../support/generated-answers';
import { pickOf, trueRows, type TrueRow } from '../../support/generated-truth';

const ASKED = [1, 2, 5, 10];

/** Returns what an answer has wrong; nothing for a right one. */
function faultsOf(run: GeneratedRun): string[] {
  const answer = runAnswer(run.results, run.costs);
  const truth = trueRows(run);
  if (answer === undefined) return ['no answer'];
  const { rows, sentences, question, askedBitsPerSecond } = answer;
  const faults: string[] = [];
  const check = (isRight: boolean, what: string) => isRight || faults.push(what);
  check(question === run.question, `question: ${question} instead of ${run.question}`);
  check(
    sorted(rows.map(({ label }) => label)) === sorted(truth.map(({ name }) => name)),
    `rows: ${rows.map(({ label }) => label).join(', ')}`,
  );
  const asked = ASKED.filter((rate) => truth.some((row) => (row.holdAt(rate)?.kind ?? 'never') !== 'never'));
  const isAsked = (rate: number) => askedBitsPerSecond.includes(rate * 1e9);
  check(
    ASKED.every((rate) => isAsked(rate) === asked.includes(rate)),
    `asked: ${askedBitsPerSecond.join()} instead of ${asked.join()}`,
  );
  for (const true_ of truth) {
    const row = rows.find(({ label }) => label === true_.name);
    if (row) faults.push(...rowFaults(row, true_, askedBitsPerSecond, run).map((fault) => `${true_.name}: ${fault}`));
  }
  const names = truth.map(({ name }) => name);
  faults.push(...leadFaults(sentences, truth, run.question));
  if (run.question !== 'settings') {
    askedBitsPerSecond.forEach((rate) => faults.push(...heldFaults(sentences, truth, rate / 1e9)));
  }
  for (const { words } of run.probes) {
    const sentence = sentences.find((each) => each.includes(`(${words})`)) ?? '';
    const scored = truth.map(({ name, subject }) => ({ name, value: 1 / subject.p50, noise: 0.01 }));
    check(
      isPick(isAlike(sentence) ? names : namesIn(/is shortest (.*) and longest/.exec(sentence)?.[1], names), scored),
      `round trips: ${sentence}`,
    );
  }
  return faults;
}

const sorted = (names: readonly string[]) => [...names].sort().join();
const isAlike = (sentence: string) => sentence.includes(' about the same');
const isNear = (value: number, truth: number, share: number) => Math.abs(value / truth - 1) < share;

/** How a sentence says the conditions of generated runs; other names are said as they are. */
const SAID: Readonly<Record<string, string>> = {
  'private address': 'over private addresses',
  'public address': 'over public addresses',
  'load balancer': 'through a load balancer',
  'VPC peering': 'over VPC peering',
  'no placement group': 'without a placement group',
  'cluster group': 'in a cluster placement group',
  'spread group': 'in a spread placement group',
};
const saidOf = (name: string) => SAID[name] ?? name;

function namesIn(text = '', names: readonly string[]): string[] {
  return names.filter((name) =>
    new RegExp(`(^|[^\\w.])${saidOf(name).replace(/\./g, '\\.')}(?![\\w])`, 'i').test(text),
  );
}

/** Of more than five names the sentence has four and the number otherwise, which are then those that must be there. */
function named(text: string | undefined, names: readonly string[], scored: Parameters<typeof pickOf>[0]): string[] {
  const found = namesIn(text, names);
  const others = Number(/ and (\d+) more$/.exec(text ?? '')?.[1] ?? 0);
  const left = pickOf(scored).must.filter((name) => !found.includes(name));
  return [...found, ...left.slice(0, others)];
}

function isPick(named: readonly string[], scored: Parameters<typeof pickOf>[0]): boolean {
  const { must, may } = pickOf(scored);
  return must.every((name) => named.includes(name)) && named.every((name) => may.includes(name));
}

function rowFaults(
  row: AnswerRow,
  truth: TrueRow,
  asked: readonly number[],
  { probes, settings, question }: GeneratedRun,
): string[] {
  const faults: string[] = [];
  const check = (isRight: boolean, what: string) => isRight || faults.push(what);
  const { sustained, setting, otherSettings } = row;
  const { noise, usd, bursts } = truth.subject;
  const tolerance = 0.02 + 4 * noise;
  const { bound, value } = truth.sustained;
  check(
    sustained?.bound === bound && isNear(sustained.value / 1e9, value, tolerance),
    `sustained ${sustained?.bound} ${sustained?.value} instead of ${bound} ${value}`,
  );
  // What is left without credits has no modes, whatever the burst has.
  check(sustained?.modes === undefined, `sustained in modes: ${sustained?.modes?.join()}`);
  check(row.pairCount === bursts.length, `${row.pairCount} pairs`);
  const isSeveral = question !== 'settings' && settings.length > 1;
  check(
    isSeveral ? truth.best.includes(setting ?? '') : setting === undefined,
    `best ${setting} instead of ${truth.best.join(' or ')}`,
  );
  const spread = isSeveral ? truth.spread : undefined;
  const ends = otherSettings && [otherSettings.low / 1e9, otherSettings.high / 1e9];
  check(
    spread === undefined
      ? ends === undefined
      : spread.every((end, index) => isNear(ends?.[index] ?? 0, end, tolerance)),
    `spread ${ends?.join()} instead of ${spread?.join()}`,
  );
  const perUsd = row.sustainedBitsPerSecondPerUsd;
  check(
    usd === null || bound !== 'measured' ? perUsd === null : isNear((perUsd ?? 0) / 1e9, value / usd, tolerance),
    `${perUsd} per USD`,
  );
  check(
    sorted(row.roundTrips.map(({ name }) => name)) === sorted(probes.map(({ words }) => words)),
    `round trips ${row.roundTrips.map(({ name }) => name).join()}`,
  );
  for (const { words, factor } of probes) {
    const figure = row.roundTrips.find(({ name }) => name === words)?.p50Micros;
    check(isNear(figure?.value ?? 0, truth.subject.p50 * factor, 0.05), `${words}: p50 ${figure?.value}`);
  }
  for (const rate of asked) {
    const hold = holdAt(row, rate);
    const right = truth.holdAt(rate / 1e9);
    const isRight =
      hold?.kind === right?.kind &&
      (right === undefined || (hold?.reachedPairCount === right.reached && hold.pairCount === right.pairs)) &&
      (right?.kind !== 'for' || isNear(hold?.seconds ?? 0, right.seconds, 0.15)) &&
      (right?.kind !== 'at_least' || (hold?.seconds ?? Infinity) < 1.1 * right.seconds);
    check(isRight, `holds ${rate / 1e9}: ${JSON.stringify(hold)} instead of ${JSON.stringify(right)}`);
  }
  return faults;
}

/** The first sentence names who sustains the most and who gives the most for the price, among those that were measured. */
function leadFaults(
  sentences: readonly string[],
  truth: readonly TrueRow[],
  question: GeneratedRun['question'],
): string[] {
  const faults: string[] = [];
  const names = truth.map(({ name }) => name);
  const measured = truth.filter(({ sustained }) => sustained.bound === 'measured');
  const scored = measured.map(({ name, subject: { noise }, sustained: { value } }) => ({ name, value, noise }));
  const carried = truth.filter(
    ({ sustained: { bound, value } }) => bound === 'at_least' && scored.every((each) => value > 1.05 * each.value),
  );
  const check = (isRight: boolean, what: string) => isRight || faults.push(`${what}: ${sentences.join(' / ')}`);
  const compared = sentences.find((each) => each.includes('hroughput is'));
  if (compared !== undefined) {
    const highest = isAlike(compared) ? names : namesIn(/ highest (.*) and lowest /.exec(compared)?.[1], names);
    // Without it, means over the whole measurement are compared, of which none may be what was offered.
    const isRight =
      measured.length === truth.length
        ? isPick(highest, scored)
        : truth.every(({ sustained }) => sustained.bound !== 'at_least');
    check(isRight, 'highest');
    check(question !== 'types', 'sentence of conditions');
    return faults;
  }
  const parts = sentences.join(' ').split(/(?<=[a-z)/])\. /);
  const said = parts.find((part) => / sustains? (the most|about the same|\d)/.test(part));
  check(
    measured.length === 0 ? said === undefined : isPick(named(said?.split(/ sustains? /)[0], names, scored), scored),
    'most',
  );
  check(measured.length !== 1 || !(said ?? '').includes(' the most: '), 'the most of one');
  const more = parts.find((part) => /carried all .* more than the other pairs/.test(part));
  check(
    measured.length === 0 || sorted(namesIn(more, names)) === sorted(carried.map(({ name }) => name)),
    'carried more',
  );
  if (question !== 'types') return faults;
  const priced = measured.flatMap(({ name, subject: { usd, noise }, sustained: { value } }) =>
    usd === null ? [] : [{ name, value: value / usd, noise }],
  );
  const best = parts.find((part) => / gives? the most for the price/.test(part));
  check(
    priced.length < 2 ? best === undefined : isPick(named(best?.split(/ gives? /)[0], names, priced), priced),
    'price',
  );
  return faults;
}

/** The sentence of a rate names all who always hold it, the cheapest of them, who holds it longest and who only partly reaches it. */
function heldFaults(sentences: readonly string[], truth: readonly TrueRow[], rate: number): string[] {
  const names = truth.map(({ name }) => name);
  const holds = truth.map((row) => ({ ...row, hold: row.holdAt(rate) }));
  const reached = holds.filter(({ hold }) => hold && hold.kind !== 'never' && hold.reached >= 0.9 * hold.pairs);
  const of = (kind: string) => reached.filter(({ hold }) => hold?.kind === kind);
  const partly = holds.filter(({ hold }) => hold && hold.kind !== 'never' && hold.reached < 0.9 * hold.pairs);
  const said = sentences.find(
    (each) =>
      /^[\d., or]+ Gbit\/s: /.test(each) &&
      each
        .split(' Gbit')[0]!
        .split(/, | or /)
        .includes(String(rate)),
  );
  if (of('always').length === truth.length || (reached.length === 0 && partly.length === 0))
    return said === undefined ? [] : [`no sentence of ${rate}: ${said}`];
  const parts = (said ?? '').split(/: |; |\. /).slice(1);
  const faults: string[] = [];
  const check = (isRight: boolean, what: string) => isRight || faults.push(`${what} of ${rate}: ${said}`);
  const part = (form: RegExp) => parts.find((each) => form.test(each));
  const always = part(/indefinitely/);
  if (names.length <= 5)
    check(
      sorted(namesIn(always?.split(/ holds? /)[0], names)) === sorted(of('always').map(({ name }) => name)),
      'always',
    );
  const prices = of('always').flatMap(({ subject: { usd } }) => usd ?? []);
  const cheapest = of('always').filter(({ subject: { usd } }) => usd === Math.min(...prices));
  if (prices.length > 1 && names.length <= 5)
    check(
      sorted(namesIn(/, and (.*) costs? least/.exec(always ?? '')?.[1], names)) ===
        sorted(cheapest.map(({ name }) => name)),
      'cheapest',
    );
  const longest = part(/holds? it (longest|about|for [\d.])/)?.split(/ holds? it/)[0];
  const times = of('for').map(({ name, hold, subject: { noise } }) => ({
    name,
    value: hold?.seconds ?? 0,
    noise: Math.max(0.03, noise),
  }));
  if (names.length <= 5)
    check(times.length === 0 ? longest === undefined : isPick(namesIn(longest, names), times), 'longest');
  const only = parts.filter((each) => each.startsWith('only')).join();
  check(
    partly.every(({ name, hold }) =>
      new RegExp(`${hold?.reached} of ${hold?.pairs} pairs (of )?${saidOf(name)}`).test(only),
    ) && namesIn(only, names).length === partly.length,
    'partly',
  );
  return faults;
}

describe.each([
  ['first', 1_000, 100],
  ['second', 77_000, 100],
])('the answers of the %s set of generated runs', (_, from, count) => {
  test('are right in every figure, pick and tie', () => {
    const wrong = Array.from({ length: count }, (__, index) => from + index).flatMap((seed) => {
      const faults = faultsOf(generatedRun(seed));
      return faults.length === 0 ? [] : [`${seed}: ${faults.slice(0, 3).join(' | ')}`];
    });
    expect(wrong).toEqual([]);
  });
});
