/** Histories of runs that have not changed, with every kind of scatter that repeated measurements are known to have. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { elementAt } from '../domain/maths/elements';

type Random = () => number;

export interface HistoryNoise {
  readonly name: string;
  /** Natural logarithms of the values of so many runs, around 0. */
  readonly logs: (count: number, random: Random) => number[];
}

const FIXTURES = path.join(__dirname, '..', 'test', 'fixtures', 'histories');

const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;

/** Box and Muller's method. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function independent(name: string, log: (random: Random) => number): HistoryNoise {
  return { name, logs: (count, random) => Array.from({ length: count }, () => log(random)) };
}

const gaussian = (scatter: number) => independent(`normal, ${percent(scatter)}`, (random) => scatter * normal(random));

/** Student's t with three degrees of freedom, scaled to this standard deviation. */
function heavyTailed(scatter: number): HistoryNoise {
  return independent(`heavy tails (t with 3 degrees), ${percent(scatter)}`, (random) => {
    const chiSquared = normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2;
    return (scatter * normal(random)) / Math.sqrt(chiSquared);
  });
}

/** One run in twenty is off by 26 to 63 %: up or down, or only down. */
function withOutliers(scatter: number, sides: 'both' | 'down'): HistoryNoise {
  return independent(`${percent(scatter)}, one run in 20 far off, ${sides}`, (random) => {
    const log = scatter * normal(random);
    if (random() >= 0.05) return log;
    const distance = 0.3 + 0.7 * random();
    return log + (sides === 'both' && random() < 0.5 ? distance : -distance);
  });
}

/** Hosts come in two kinds, the slower of which has this share of the faster one's rate. */
function twoModes(slower: number, probability: number): HistoryNoise {
  const name = `two modes, ${percent(probability)} of the runs at ${percent(slower)} of the rate`;
  return independent(name, (random) => 0.01 * normal(random) + (random() < probability ? Math.log(slower) : 0));
}

/** Neighbouring runs resemble each other: autoregression of the first order. */
function correlated(correlation: number, scatter: number): HistoryNoise {
  return {
    name: `neighbours alike (correlation ${correlation}), ${percent(scatter)}`,
    logs: (count, random) => {
      let state = normal(random);
      return Array.from({ length: count }, () => {
        state = correlation * state + Math.sqrt(1 - correlation ** 2) * normal(random);
        return scatter * state;
      });
    },
  };
}

function cyclic(period: number, amplitude: number): HistoryNoise {
  return {
    name: `a wave of ${period} runs, ±${percent(amplitude)}, and normal, 1 %`,
    logs: (count, random) => {
      const phase = 2 * Math.PI * random();
      return Array.from(
        { length: count },
        (_, run) => 0.01 * normal(random) + amplitude * Math.sin((2 * Math.PI * run) / period + phase),
      );
    },
  };
}

/** Daily runs of a network that has this much less at weekends. */
function weekends(less: number): HistoryNoise {
  return {
    name: `${percent(less)} less at weekends, and normal, 1 %`,
    logs: (count, random) => {
      const first = Math.floor(7 * random());
      return Array.from(
        { length: count },
        (_, run) => 0.01 * normal(random) + ((first + run) % 7 < 2 ? Math.log(1 - less) : 0),
      );
    },
  };
}

/** Runs drawn from what was recorded on EC2; a small scatter keeps values that were drawn twice from being equal. */
function recordedOnEc2(figure: string, values: readonly number[]): HistoryNoise {
  return independent(`recorded on EC2: ${figure}`, (random) => {
    const value = elementAt(values, Math.floor(random() * values.length));
    return Math.log(value) + 0.001 * normal(random);
  });
}

function recordedNoise(): HistoryNoise[] {
  const text = readFileSync(path.join(FIXTURES, 'ec2-scatter.json'), 'utf8');
  const figures = JSON.parse(text) as Record<string, readonly number[]>;
  return Object.entries(figures).map(([figure, values]) => recordedOnEc2(figure, values));
}

export interface RecordedHistory {
  readonly id: string;
  readonly runs: readonly { readonly at: string; readonly bps: number }[];
}

export function recordedHistories(): readonly RecordedHistory[] {
  const text = readFileSync(path.join(FIXTURES, 'repeated-measurements.json'), 'utf8');
  return (JSON.parse(text) as { readonly histories: readonly RecordedHistory[] }).histories;
}

/** All kinds of scatter. */
export function historyNoises(): readonly HistoryNoise[] {
  return [
    ...recordedNoise(),
    ...[0.002, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.2, 0.4].map(gaussian),
    ...[0.01, 0.02, 0.03, 0.05, 0.1, 0.2].map(heavyTailed),
    ...[0.01, 0.02, 0.03].map((scatter) => withOutliers(scatter, 'both')),
    ...[0.01, 0.03].map((scatter) => withOutliers(scatter, 'down')),
    ...[0.03, 0.1, 0.25, 0.5].map((probability) => twoModes(0.52, probability)),
    ...[0.1, 0.3].map((probability) => twoModes(0.9, probability)),
    correlated(0.3, 0.02),
    correlated(0.3, 0.05),
    correlated(0.5, 0.02),
    correlated(0.5, 0.05),
    cyclic(4, 0.05),
    cyclic(7, 0.05),
    cyclic(28, 0.03),
    weekends(0.1),
  ];
}
