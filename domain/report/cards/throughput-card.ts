import type { Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import { ofAnotherPair } from '../../model/token-bucket';
import type { Sample } from '../../model/sample';
import { drivenStatistics, throughputOf, type ThroughputStatistics } from '../../model/statistics';
import { CPU_CONTENTION_WITNESS, type HoldTime, type Verdict, type Witness } from '../../model/verdict';
import { gigabits, grouped, micros, percent, seconds, spaced } from '../../text/format';
import { allowanceLines, hasAllowanceCounters } from '../charts/chart-series';
import { html, type Html, type HtmlValue } from '../page/html';
import { bucket } from '../page/columns';
import { column, factList, numberColumn, reportTable } from '../page/table';
import {
  causesByStanding,
  meanRate,
  heldInterval,
  heldText,
  inSeconds,
  intervalText,
  refillText,
} from '../../run/words';

export function throughputFigures(result: MeasurementResult, series: readonly Sample[]): Html {
  return html`${figures(result, series)}
    <div class="two">${witnessList(result.verdict?.witnesses ?? [])}${result.verdict && holdTimes(result.verdict)}</div>
    ${result.verdict && causeList(result.verdict)}`;
}

/** `0.993, then 0.248 Gbit/s from 1017.6 s on`, or the mean, with "on average" where the rate is uneven. */
export function throughputHeadline(result: MeasurementResult): string | undefined {
  const { burst, baseline, onset } = result.verdict ?? {};
  if (burst && baseline && onset) {
    return `${gigabits(burst.value)}, then ${gigabits(baseline.value)} Gbit/s from ${seconds(onset.value)} s on`;
  }
  return meanRate(result);
}

function figures(result: MeasurementResult, series: readonly Sample[]): Html {
  const { verdict } = result;
  const hasDrop = (verdict?.onset ?? null) !== null;
  const mean = hasDrop ? undefined : gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean);
  const { main, reverse } = throughputOf(result) ?? {};
  const grown = allowanceLines(series).map(({ name, totalPackets }) => `${name} ${grouped(totalPackets)} packets`);
  return html`${factList(
    [
      ['Mean', withUnit(mean, 'Gbit/s')],
      ['Burst, 95 % interval', withInterval(verdict?.burst, gigabits, 'Gbit/s')],
      ['Baseline, 95 % interval', withInterval(verdict?.baseline, gigabits, 'Gbit/s')],
      ['Onset, 95 % interval', withInterval(verdict?.onset, seconds, 's')],
      [
        'Bucket, other pairs',
        withInterval(verdict?.bucket && ofAnotherPair(verdict.bucket), gigabits, 'Gbit') ??
          withUnit(bucket(result), 'Gbit'),
      ],
      ['Credits of', whoseCredits(result)],
      ['Confidence', percent(verdict?.confidence)],
    ],
    'facts figures',
  )}
  ${main && totals(main, reverse === undefined ? '' : ', forward', hasDrop || reverse !== undefined)}
  ${reverse && totals(reverse, ', reverse', true)}
  ${hasAllowanceCounters(series) && factList([['ENA allowance exceeded', grown.join(', ') || 'never']])}`;
}

function withUnit(text: string | undefined, unit: string): Html | undefined {
  return text === undefined ? undefined : html`${text} <small>${unit}</small>`;
}

function withInterval(interval: Interval | null | undefined, format: (value: number) => string, unit: string) {
  const text = intervalText(interval, format);
  return text && withUnit(text.value, `${unit}, ${text.low} to ${text.high}`);
}

/** Names the host whose credits ran out: `sender: client, c5.large`. */
function whoseCredits({ verdict, clientType, serverType }: MeasurementResult): string | undefined {
  if (!verdict?.throttledBy) return undefined;
  const isClient = (verdict.throttledBy === 'sender') === (verdict.direction === 'forward');
  return `${verdict.throttledBy}: ${isClient ? `client, ${clientType}` : `server, ${serverType}`}`;
}

/** @param hasMean false where the figures above already show the mean */
function totals(statistics: ThroughputStatistics, direction: string, hasMean: boolean): Html {
  const { throughputBitsPerSecond: rates, retransmits, lostPackets, sentPackets, jitterMicros } = statistics;
  const ofPackets = sentPackets !== undefined && sentPackets > 0 ? ` of ${grouped(sentPackets)} packets` : '';
  const facts: (readonly [name: string, value: HtmlValue])[] = [
    ['Mean', hasMean && rates && `${gigabits(rates.mean)} Gbit/s`],
    [
      'Median, 5th to 95th percentile',
      rates?.p50 !== undefined && html`${gigabits(rates.p50)}, ${gigabits(rates.p5)} to ${gigabits(rates.p95)} Gbit/s`,
    ],
    ['Retransmits', grouped(retransmits)],
    ['Lost', lostPackets !== undefined && `${grouped(lostPackets)}${ofPackets}`],
    ['Jitter', jitterMicros !== undefined && `${micros(jitterMicros)} µs`],
  ];
  return factList(facts.map(([name, value]) => [`${name}${direction}`, value]));
}

/** For each judgement of a witness its sign, and the meaning of the sign. */
const SIGNS = {
  agrees: ['✓', 'agrees with the verdict'],
  disagrees: ['✗', 'disagrees'],
  neutral: ['–', 'neutral'],
  warns: ['!', 'warns that the figures may show something other than the network'],
} as const;

type Word = keyof typeof SIGNS;

/** The CPU contention witness always warns, because other work on the processors may have caused any figure. */
function wordOf({ name, agrees }: Witness): Word {
  if (name === CPU_CONTENTION_WITNESS) return 'warns';
  if (agrees === null) return 'neutral';
  return agrees ? 'agrees' : 'disagrees';
}

/** Explains the signs of the witnesses; undefined where there are no witnesses. */
export function witnessKey(results: readonly MeasurementResult[]): string | undefined {
  const witnesses = results.flatMap(({ verdict, packetVerdict }) => (packetVerdict ?? verdict)?.witnesses ?? []);
  const words = new Set(witnesses.map(wordOf));
  const key = (Object.keys(SIGNS) as Word[]).filter((word) => words.has(word)).map((word) => SIGNS[word].join(' '));
  return key.length === 0 ? undefined : `The sign of each witness: ${key.join(', ')}.`;
}

export function witnessList(all: readonly Witness[]): Html | undefined {
  if (all.length === 0) return undefined;
  return html`<div>
    <h4>Witnesses</h4>
    <ul class="witnesses">
      ${all.map((witness) => {
        const word = wordOf(witness);
        return html`<li class="${word}">
          <span class="sign" title="${word}" aria-label="${word}">${SIGNS[word][0]}</span
          ><span>${spaced(witness.name)}</span><span>${witness.detail}</span>
        </li>`;
      })}
    </ul>
  </div>`;
}

function holdTimes(verdict: Verdict): Html | undefined {
  if (verdict.holdTimes.length === 0) return undefined;
  const table = reportTable<HoldTime>(
    'How long a rate can be held',
    [
      column('Gbit/s', ({ bitsPerSecond }) => gigabits(bitsPerSecond)),
      numberColumn('From full credits', (hold) => heldText(hold, inSeconds)),
      numberColumn('95 % interval', (hold) => heldInterval(hold, inSeconds)),
    ],
    verdict.holdTimes,
    { stacksOnPhones: false },
  );
  return html`<div>
    <h4>How long can a rate be held?</h4>
    ${table}
    <p class="sub">${refillText(verdict, inSeconds)}</p>
  </div>`;
}

/** Lists the examined causes with one sentence per standing, because a report has many of these lists. */
function causeList(verdict: Verdict): Html | undefined {
  const causes = causesByStanding(verdict);
  if (causes.length === 0) return undefined;
  const { ifNetworkCredits } = verdict;
  return html`<details>
    <summary>Causes</summary>
    ${causes.map(({ heading, inWords }) => html`<p><b>${heading}</b>: ${inWords}</p>`)}
    ${ifNetworkCredits && conditional(ifNetworkCredits)}
  </details>`;
}

function conditional({ bucket, refill }: NonNullable<Verdict['ifNetworkCredits']>): Html | undefined {
  const volume = intervalText(bucket, gigabits);
  const idle = intervalText(refill, inSeconds);
  if (volume === undefined) return undefined;
  const back = idle && `, and would be full again after ${idle.value} idle`;
  return html`<p class="sub">
    If the cause is network credits, they covered ${volume.value} Gbit (${volume.low} to ${volume.high})${back}.
  </p>`;
}
