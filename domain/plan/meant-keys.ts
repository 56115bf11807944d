/**
 * Says what a key that is not allowed at its place most likely means: another word, the same figure in another unit, or
 * another place of the plan.
 */
import { smallest } from '../maths/statistics';
import { nearestWord } from '../text/nearest-word';
import { allowedKeysAt, PLAN_OBJECTS, valueAt, type PlanPath } from './allowed-values';
import { inUnitOf, sameFigure } from '../text/units';

export type MeantKey =
  | { readonly kind: 'renamed'; readonly keys: readonly string[]; readonly value: unknown }
  | { readonly kind: 'moved'; readonly targets: readonly PlanPath[]; readonly place: string }
  /** Allowed elsewhere, but nothing says in which of several places. */
  | { readonly kind: 'elsewhere'; readonly place: string };

/** Words of other tools, with the keys that they stand for. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  type: ['clientType', 'serverType'],
  instanceType: ['clientType', 'serverType'],
  from: ['clientType'],
  to: ['serverType'],
  streams: ['parallelStreams'],
  connections: ['parallelStreams'],
  flows: ['parallelStreams'],
  threads: ['parallelStreams'],
  bandwidth: ['targetBitsPerSecond'],
  bitrate: ['targetBitsPerSecond'],
  time: ['durationSeconds'],
  runs: ['repetitions'],
  iterations: ['repetitions'],
};

/** @returns undefined if the key resembles nothing that a plan may have */
export function meantKey(plan: unknown, within: PlanPath, key: string): MeantKey | undefined {
  const entry = valueAt(plan, within) as Readonly<Record<string, unknown>>;
  const value = entry[key];
  const unused = allowedKeysAt(plan, within).filter((each) => !Object.hasOwn(entry, each));
  const renamed = (keys: readonly string[]): MeantKey => ({
    kind: 'renamed',
    keys,
    value: inUnitOf(keys[0] ?? '', value, key),
  });
  const otherWord = Object.hasOwn(OTHER_WORDS, key) ? (OTHER_WORDS[key] ?? []) : [];
  if (otherWord.length > 0 && otherWord.every((each) => unused.includes(each))) return renamed(otherWord);
  const place = otherPlace(plan, within, key);
  if (place !== undefined) return place;
  const nearest = sameFigure(key, unused) ?? nearestWord(key, unused);
  return nearest === undefined ? undefined : renamed([nearest]);
}

function otherPlace(plan: unknown, within: PlanPath, key: string): MeantKey | undefined {
  const here = templateOf(within);
  const tool = valueAt(plan, [...within.slice(0, 2), 'tool']);
  const having = PLAN_OBJECTS.filter(({ keys }) => keys.includes(key));
  const isBelow = (template: readonly string[]) =>
    template.length > here.length && here.every((part, index) => template[index] === part);
  const below = having.filter(
    ({ template, variant }) => isBelow(template) && (variant === undefined || variant === tool),
  );
  const ofTools = having.flatMap(({ template, variant }) =>
    isSame(template, here) && variant !== undefined ? [variant] : [],
  );
  const isOfPlan = having.some(({ template }) => template.length === 0);
  if (ofTools.length > 0 && !isOfPlan) {
    const alsoBelow = below.map(({ template }) => `, and to "${template.at(-1)}"`).join('');
    return {
      kind: 'elsewhere',
      place: `left out with tool ${String(tool)}, because this field belongs to ${ofTools.join(', ')}${alsoBelow}`,
    };
  }
  if (having.length === 0) return undefined;
  const shortest = smallest(having.map(({ template }) => template.length));
  const nearestHomes = below.length > 0 ? below : having.filter(({ template }) => template.length === shortest);
  const templates = new Map(nearestHomes.map(({ template }) => [template.join('.'), template]));
  const [template, ...others] = templates.values();
  if (template === undefined) return undefined;
  if (others.length > 0) {
    const names = [template, ...others].map((each) => `"${each.at(-1)}"`).join(' or ');
    return { kind: 'elsewhere', place: `inside ${names}${entriesInWords(template, here)}` };
  }
  const tools = nearestHomes.flatMap(({ variant }) => variant ?? []);
  return { kind: 'moved', targets: targetsOf(plan, within, template, tools), place: placeInWords(template, here) };
}

const templateOf = (path: PlanPath) => path.map((part) => (typeof part === 'number' ? '*' : String(part)));
const isSame = (one: readonly string[], other: readonly string[]) => one.join('.') === other.join('.');

function placeInWords(template: readonly string[], here: readonly string[]): string {
  if (template.length === 0) return 'at the top level of the plan, next to "pairs"';
  if (template.at(-1) === '*') return `inside each entry of "${template[0]}"`;
  return `inside "${template.at(-1)}"${entriesInWords(template, here)}`;
}

function entriesInWords(template: readonly string[], here: readonly string[]): string {
  const list = template[0];
  return template[1] !== '*' || list === here[0] ? '' : ` of each entry of "${list}"`;
}

/** The objects of the plan that the template stands for; a list that the plan lacks stands for one entry. */
function targetsOf(plan: unknown, within: PlanPath, template: readonly string[], tools: readonly string[]): PlanPath[] {
  let paths: PlanPath[] = [[]];
  for (const [depth, part] of template.entries()) {
    paths = paths.flatMap((path) => {
      if (part !== '*') return [[...path, part]];
      const own = within[depth];
      if (typeof own === 'number' && isSame(templateOf(within.slice(0, depth)), templateOf(path)))
        return [[...path, own]];
      const list = valueAt(plan, path) ?? [{}];
      return Array.isArray(list) ? list.map((_, index) => [...path, index]) : [];
    });
  }
  const hasTool = (path: PlanPath) => {
    const tool = valueAt(plan, [...path.slice(0, 2), 'tool']);
    return tools.length === 0 || tool === undefined || tools.some((each) => each === tool);
  };
  return paths.filter(hasTool);
}
