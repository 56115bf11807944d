/**
 * Shortens iperf3's text while it is read: many streams over many hours print hundreds of megabytes, of which the
 * offline analysis needs the sums. Nothing that is judged or printed changes.
 */

const INTERVAL = /\[ *(SUM|\d{1,5})\](\[[TR]X-[CS]\])? +(\d+\.\d\d- *\d+\.\d\d) +sec /;
const SEPARATOR = /^[^[]{0,60}(?:- ){5}/;

/**
 * Leaves out the intervals of single streams that a `[SUM]` line of the same interval follows. Those above the first sum
 * of a test stay: they show how many streams there are, and of which protocol.
 */
export class SummedStreams {
  /** The latest intervals of streams, of which the sum may follow. */
  private readonly pending = new Map<string, { readonly line: string; readonly interval: string }>();
  private hasSum = false;

  /** @returns of whole lines, which come in order, those that are known to be kept */
  shorten(lines: string): string {
    return lines
      .split(/(?<=\n)/)
      .map((line) => this.read(line))
      .join('');
  }

  /** @returns the lines that wait for their sum when the text ends */
  end(): string {
    return this.flush(() => true);
  }

  private read(line: string): string {
    const [, stream, role = '', times] = INTERVAL.exec(line) ?? [];
    const interval = `${role} ${times}`;
    if (stream !== undefined && stream !== 'SUM') {
      const key = `${role} ${stream}`;
      const earlier = this.pending.has(key) ? this.flush(() => true) : '';
      this.pending.set(key, { line, interval });
      return earlier;
    }
    const isSum = stream === 'SUM';
    const kept = this.flush((waiting) => !isSum || !this.hasSum || waiting !== interval);
    if (isSum) this.hasSum = true;
    else if (!SEPARATOR.test(line)) this.hasSum = false;
    return kept + line;
  }

  private flush(keeps: (interval: string) => boolean): string {
    const kept = [...this.pending.values()].filter(({ interval }) => keeps(interval)).map(({ line }) => line);
    this.pending.clear();
    return kept.join('');
  }
}
