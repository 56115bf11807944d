/** Unfolds cards when a link leads to them, before printing, and all at once by a button. */

const cards = () => [...document.querySelectorAll<HTMLDetailsElement>('.measurement details')];

export function prepareCards(): void {
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const card = target?.closest('details');
    if (!card) return;
    card.open = true;
    card.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();

  let openedToPrint: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    openedToPrint = [...document.querySelectorAll('details')].filter(({ open }) => !open);
    for (const details of openedToPrint) details.open = true;
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
    const open = !cards().every((card) => card.open);
    for (const card of cards()) card.open = open;
    say();
  });
  say();
  lead.after(button);
}
