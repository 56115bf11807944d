/**
 * Shortens iperf3's text while it is read: many streams over many hours print hundreds of megabytes, of which the
 * offline analysis needs only the sums. This changes nothing in the verdict or the printed output.
 */

const INTERVAL = /\[ *(SUM|\d{1,5})\](\[[TR]X-[CS]\])? +(\d+\.\d\d- *\d+\.\d\d) +sec /;
const SEPARATOR = /^[^[]{0,60}(?:- ){5}/;

/**
 * Omits the intervals of single streams that are followed by a `[SUM]` line of the same interval. Those above a test's
 * first sum are kept, because they show how many streams there are, and of which protocol.
 */
export class SummedStreams {
  /** The latest intervals of streams, whose sum may follow. */
  private readonly pending = new Map<string, { readonly line: string; readonly interval: string }>();
  private hasSum = false;

  /** @returns those of the given whole lines, which come in order, that are known to be kept */
  shorten(lines: string): string {
    return lines
      .split(/(?<=\n)/)
      .map((line) => this.read(line))
      .join('');
  }

  /** @returns the lines that were still waiting for their sum */
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
