/** `index.html`: one page over all runs of a store. */
import { counted, instant } from '../../text/format';
import { contents, sectionHtml } from '../page/contents';
import { html } from '../page/html';
import { renderPage } from '../page/page';
import { scaledModelNote } from '../scaled-model-note';
import { atlasSection } from './atlas';
import type { IndexInput } from '../../run/report-input';
import { runsSection } from './runs';

export function renderIndex(input: IndexInput): string {
  const { history, bucketName, renewedAt } = input;
  const sections = [atlasSection(input), runsSection(input)].filter((section) => section !== undefined);
  const header = html`<header class="page">
    <p class="product">EC2 Network Bench</p>
    <h1>All runs</h1>
    <p class="lead">
      ${counted(history.runs.length, 'run')} in the bucket ${bucketName}. The page is renewed whenever a run ends, last
      on ${instant(renewedAt)}.
    </p>
  </header>`;
  return renderPage({
    title: `All runs in ${bucketName}`,
    header,
    main: html`${scaledModelNote(history.runs.flatMap(({ scaledModel }) => scaledModel ?? []))}
    ${contents(sections, [])} ${sections.map(sectionHtml)}`,
    footer: 'EC2 Network Bench',
    isLandscape: true,
    results: [],
  });
}
