import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figureByKey } from '../../domain/tables/figures';

function sqlIn(name: string) {
  const folder = join(__dirname, '../..', name);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

const queries = sqlIn('queries');

/** The comment lines at the top: a title, then a question, which the console shows, and what there is to say about it. */
function header(text: string): string[] {
  const lines = text.split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('-- ')),
    )
    .map((line) => line.slice(3));
}

describe.each([...queries, ...sqlIn('views')])('$file', ({ file, text }) => {
  test('begins with its title, which is its file name in words', () => {
    const [title] = header(text);
    expect(title?.toLowerCase().replaceAll(' ', '-')).toBe(file.replace('.sql', '.').replaceAll('_', '-'));
  });

  test('asks a question', () => {
    expect(header(text).slice(1).join(' ')).toContain('?');
  });

  test('only reads, in one statement', () => {
    const statement = text.replace(/--.*$/gm, '');
    expect(statement).not.toContain(';');
    // A kind of a verdict has the name of a statement.
    const words = statement.replaceAll(/'[^']*'/g, "''");
    expect(words).not.toMatch(/\b(insert|create|drop|delete|update|unload|alter)\b/i);
  });
});

test.each(['atlas.sql', 'bucket-volume-by-type.sql'])('%s has the recorded factor of another pair', (file) => {
  const { text } = queries.find((query) => query.file === file)!;
  const [factor, ...others] = [...text.matchAll(/\bpower\(([\d.e-]+),/g)].map(([, number]) => Number(number));
  expect(others).toEqual([]);
  // The query divides and multiplies by the same factor.
  expect(figureByKey('bucketBits').ofAnotherPair).toEqual({ value: 1, low: 1 / factor!, high: factor });
});

test('the main questions have a query', () => {
  expect(queries.map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      'throttle-onsets.sql',
      'series-of-one-measurement.sql',
      'comparison-of-instance-types.sql',
      'latency-percentiles.sql',
      'live-throughput.sql',
    ]),
  );
});
