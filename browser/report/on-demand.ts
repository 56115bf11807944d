/** Renders what a large page keeps as text (`onDemand` of `html.ts`) once a reader unfolds it. */
import { prepareCharts } from './charts';
import { explainFiles } from './files';
import { prepareTables } from './tables';

/** Prepares the page, and each part of it that is rendered later. */
function prepare(part: ParentNode): void {
  prepareCharts(part);
  prepareTables(part);
  explainFiles(part);
}

/** The text is markup that this page came with, in which every value is escaped. */
function render(within: ParentNode): void {
  for (const text of within.querySelectorAll('noscript')) {
    const box = document.createElement('template');
    box.innerHTML = text.textContent;
    prepare(box.content);
    text.replaceWith(box.content);
  }
}

export function prepareOnDemand(): void {
  prepare(document);
  // This event doesn't bubble.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open) render(target);
    },
    true,
  );
}

export function unfold(details: HTMLDetailsElement): void {
  render(details);
  details.open = true;
}

/** Scrolls again when what is near the element has been laid out, which moves it. */
export function scrollTo(element: Element): void {
  element.scrollIntoView();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      element.scrollIntoView();
    }),
  );
}

/** Returns the element of this id, which may have to be rendered first. */
export function elementOf(id: string): HTMLElement | null {
  const waiting = [...document.querySelectorAll('noscript')].find((text) => text.textContent.includes(` id="${id}"`));
  if (waiting?.parentElement) render(waiting.parentElement);
  return document.getElementById(id);
}
