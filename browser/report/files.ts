/** Saves the series in the page as a file, for a report that was opened without the files beside it. */
import type { SeriesLine } from '../../domain/report/interactive/series-codec';

/** A presigned link, and the console's "Open", give the page alone, so that its links to the files could not be followed. */
export function explainFiles(part: ParentNode): void {
  if (!new URLSearchParams(location.search).has('X-Amz-Expires')) return;
  for (const text of part.querySelectorAll('.files')) {
    text.textContent =
      'The series as a table is in files next to the report in the bucket; this link opens only the report.';
  }
}

/** Writes a row per second, and a column for each line. */
export function csvOf(lines: readonly SeriesLine[]): string {
  const rows = new Map<number, (number | null)[]>();
  lines.forEach(({ seconds, values }, column) => {
    seconds.forEach((time, index) => {
      const second = Math.floor(time);
      const row = rows.get(second) ?? lines.map(() => null);
      row[column] = values[index] ?? null;
      rows.set(second, row);
    });
  });
  const text = (value: number | null) => (value === null ? '' : String(Number(value.toPrecision(6))));
  const header = ['second', ...lines.map(({ name, unit }) => `"${name} (${unit})"`)].join(',');
  const ordered = [...rows].sort(([left], [right]) => left - right);
  return [header, ...ordered.map(([second, values]) => [second, ...values.map(text)].join(','))].join('\r\n') + '\r\n';
}

export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.click();
  URL.revokeObjectURL(link.href);
}
