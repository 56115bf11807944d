/** What a page says of figures that are not EC2's own, above everything else. */
import { scaledModelInWords, type ScaledModel } from '../model/scaled-model';
import { html, type Html } from './page/html';

/** @returns undefined where everything was measured on EC2 itself */
export function scaledModelNote(models: readonly ScaledModel[]): Html | undefined {
  const sentences = new Set(models.map(scaledModelInWords));
  if (sentences.size === 0) return undefined;
  return html`<div class="alert warn">
    <h2>Not measured on EC2 itself</h2>
    ${[...sentences].map(
      (sentence) => html`<p>${sentence}. Prices are those of EC2, so that figures per dollar are at its scale.</p>`,
    )}
  </div>`;
}
