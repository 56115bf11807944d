/** Shows only the cards, rows and folded sections that have the instance type, the verdict and the words asked for. */

import { scrollTo } from './on-demand';

/** More cards are shown when the reader asks for them, so that what follows them is not far away. */
const SHOWN_CARDS = 24;

interface Wanted {
  readonly type: string;
  readonly verdict: string;
  readonly words: string;
}

export function prepareCardFilters(): void {
  const form = document.querySelector<HTMLFormElement>('.filters');
  const [types, verdicts] = form?.querySelectorAll('select') ?? [];
  const search = form?.querySelector('input');
  const said = form?.querySelector('output');
  if (!form || !types || !verdicts || !search || !said) return;
  const section = document.querySelector('#measurements');
  const cards = [...document.querySelectorAll<HTMLElement>('.measurement')];
  addOptions(types, cards.flatMap(typesOf));
  addOptions(verdicts, cards.flatMap(verdictsOf));

  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'screen';
  cards.at(-1)?.after(more);
  let shownCards = SHOWN_CARDS;

  const apply = () => {
    const wanted = { type: types.value, verdict: verdicts.value, words: search.value.trim().toLowerCase() };
    const isFiltered = Object.values(wanted).some((value) => value !== '');
    const matching = cards.filter((card) => matches(card, wanted));
    // A card that a link has unfolded stays where it is.
    const shown = new Set(matching.filter((card, index) => index < shownCards || card.querySelector('details')?.open));
    for (const card of cards) card.hidden = !shown.has(card);
    for (const row of document.querySelectorAll<HTMLElement>(':is(#verdicts, #packets) tbody tr')) {
      row.hidden = !matches(row, wanted);
    }
    for (const folded of document.querySelectorAll<HTMLElement>('section:has(> details)')) {
      folded.hidden = wanted.words !== '' && !wordsOf(folded).includes(wanted.words);
    }
    more.hidden = shown.size === matching.length;
    more.textContent = `Show all ${matching.length} cards`;
    said.textContent = isFiltered ? `${matching.length} of ${cards.length} cards` : '';
  };
  more.addEventListener('click', () => {
    shownCards = Infinity;
    apply();
  });
  search.addEventListener('input', apply);
  form.addEventListener('change', () => {
    apply();
    if (section) scrollTo(section);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
  });
  // A section that was just unfolded has rows.
  for (const folded of document.querySelectorAll('section > details')) folded.addEventListener('toggle', apply);
  form.hidden = false;
  apply();
}

const typesOf = (element: Element) =>
  (element.querySelector('h3, b')?.textContent ?? '').split(/\s/).filter((word) => word.includes('.'));

const verdictsOf = (element: Element) =>
  [...element.querySelectorAll('.badge')].map(({ textContent }) => textContent).filter((word) => word !== 'complete');

function matches(element: HTMLElement, { type, verdict, words }: Wanted): boolean {
  return (
    (type === '' || typesOf(element).includes(type)) &&
    (verdict === '' || verdictsOf(element).includes(verdict)) &&
    (words === '' || wordsOf(element).includes(words))
  );
}

const known = new WeakMap<Element, string>();

/** Returns the words of an element, rendered or not: a browser writes the text of what is not rendered as it is. */
function wordsOf(element: Element): string {
  const words =
    known.get(element) ??
    element.innerHTML
      .replace(/<(script|svg)\b.*?<\/\1>|<[^>]*>/gs, ' ')
      .replace(/&nbsp;|\s+/g, ' ')
      .toLowerCase();
  known.set(element, words);
  return words;
}

function addOptions(select: HTMLSelectElement, values: readonly string[]): void {
  const sorted = [...new Set(values)].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  select.append(...sorted.map((value) => new Option(value)));
}
