/** Unfolds what a link leads to, everything before it is printed, and all cards by a button. */
import { elementOf, scrollTo, unfold } from './on-demand';

const cards = () => [...document.querySelectorAll<HTMLDetailsElement>('.measurement > details')];

export function prepareCards(): void {
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id === '' ? null : elementOf(id);
    const details = target?.closest('details') ?? target?.querySelector<HTMLDetailsElement>(':scope > details');
    if (!target || !details) return;
    // A filter may have hidden it.
    for (const hidden of [target.closest('section'), target.closest('article')]) hidden?.removeAttribute('hidden');
    unfold(details);
    // Within a card that was just shown, nothing has a place until the card is laid out.
    details.parentElement?.scrollIntoView();
    scrollTo(target);
  };
  addEventListener('hashchange', reveal);
  reveal();
  // The contents would cover what a link of them leads to.
  const menu = document.querySelector<HTMLDetailsElement>('.bar details');
  menu?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) menu.open = false;
  });

  let openedToPrint: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    const isBrief = document.querySelector<HTMLInputElement>('#print-all')?.checked === false;
    openedToPrint = isBrief ? [] : [...document.querySelectorAll('details')].filter(({ open }) => !open);
    openedToPrint.forEach(unfold);
  });
  addEventListener('afterprint', () => {
    for (const details of openedToPrint) details.open = false;
  });

  const lead = document.querySelector('#measurements .lead');
  if (!lead || cards().length < 2) return;
  const button = document.createElement('button');
  const say = () => {
    button.textContent = cards().every(({ open }) => open) ? 'Fold all' : 'Unfold all';
  };
  button.type = 'button';
  button.className = 'screen';
  button.addEventListener('click', () => {
    const isOpen = cards().every(({ open }) => open);
    for (const card of cards()) {
      if (isOpen) card.open = false;
      else unfold(card);
    }
    say();
  });
  say();
  lead.after(button);
}
