/** Turns the label of a row, which lists conditions and settings, into a phrase that follows `a pair` in a sentence. */
import { listed } from './words';

/** What a label's word becomes in a sentence; any other word only gets `with`, as in `with 8 streams`. */
const PHRASES: readonly (readonly [word: RegExp, phrase: string])[] = [
  [/^same zone$/, 'in the same zone'],
  [/^other zone$/, 'in different zones'],
  [/^no placement group$/, 'without a placement group'],
  [/^(cluster|spread|partition) group$/, 'in a $1 placement group'],
  [/^(private|public) address$/, 'over $1 addresses'],
  [/^load balancer$/, 'through a load balancer'],
  [/^VPC peering$/, 'over VPC peering'],
  [/^route of the user's own$/, "over the user's own route"],
  [/^ENA Express off$/, 'without ENA Express'],
  [/^ENA Express one side$/, 'with ENA Express on the client only'],
  [/^ENA Express both$/, 'with ENA Express on both hosts'],
  [/^MTU (.+)$/, 'with an MTU of $1 bytes'],
  [/^(client|server) with (standard|unlimited) CPU credits$/, 'with $2 CPU credits on the $1'],
  [/^(client|server) in (.+)$/, 'with the $1 in $2'],
  [/^(client|server) from (.+)$/, 'with the $1 launched from $2'],
  [/^(http|s3)$/, 'by $1'],
  [/^(download|upload)$/, 'in $1s'],
  [/^HTTPS?$/, 'over $&'],
  [/^displaced$/, 'in other subnets than planned'],
  [/^MSS (.+)$/, 'with an MSS of $1'],
  [/^every (.+)$/, 'with a packet every $1'],
  [/^(\d+ s on, .+)$/, 'with cycles of $1'],
  [/^(forward|reverse|bidirectional)$/, 'with $1 traffic'],
  [/^(with .+)$/, '$1'],
];

/** A row that lacks every word of the others is labelled with its instance type. */
const TYPE_ALONE = /^[a-z0-9-]+\.[a-z0-9-]+( → [a-z0-9-]+\.[a-z0-9-]+)?$/;

/** Returns the words of a label. Those of a duty cycle and of a latency probe have a comma themselves. */
export const wordsIn = (label: string) => label.split(/, (?!\d+ s off|[\d\s]+ a second)/);

/** `same zone, load balancer, UDP, 8 streams` becomes `in the same zone through a load balancer with UDP and 8 streams`. */
export function phrase(label: string): string {
  if (TYPE_ALONE.test(label)) return 'with the defaults';
  const phrases = wordsIn(label).map(phraseOf);
  const isWith = (each: string) => each.startsWith('with ');
  const withs = phrases.filter(isWith).map((each) => each.slice('with '.length));
  return [
    ...phrases.filter((each) => !isWith(each)),
    ...(withs.length > 0 ? [`with ${listed(withs, Infinity)}`] : []),
  ].join(' ');
}

/** `with 8 streams (0.99 Gbit/s) and 12 streams (0.98 Gbit/s)`: `with` is said once where each phrase begins with it. */
export function phrasesListed(phrases: readonly string[]): string {
  const areWith = phrases.every((each) => each.startsWith('with '));
  return areWith ? `with ${listed(phrases.map((each) => each.slice('with '.length)))}` : listed(phrases);
}

function phraseOf(word: string): string {
  const [form, said] = PHRASES.find(([each]) => each.test(word)) ?? [/^/, 'with '];
  return word.replace(form, said);
}
