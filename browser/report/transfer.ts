/** The bar above the answer: how long a transfer takes on each row, and whether it is throttled. */
import { transferAnswer, type TransferAnswer } from '../../domain/answer/transfer';

const VOLUMES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};
const TIMES: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

export function prepareTransfer(): void {
  const form = document.querySelector<HTMLFormElement>('form.transfer');
  if (form === null) return;
  form.hidden = false;
  const show = () => {
    showTimes(form);
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
  });
  show();
}

const transferCells = () => document.querySelectorAll<HTMLElement>('.transfer-time');

function showTimes(form: HTMLFormElement): void {
  const fields = new FormData(form);
  const bytes = quantity(fields.get('volume'), VOLUMES);
  const within = quantity(fields.get('time'), TIMES);
  const output = form.querySelector('output');
  if (output !== null) {
    output.value =
      bytes === undefined
        ? 'Write the volume like this: 500 GB, 2 TB or 1 TiB.'
        : within === undefined
          ? 'Write the time like this: 90 s, 20 min or 2 h.'
          : '';
  }
  for (const cell of transferCells()) {
    const figures = cell.dataset.figures;
    cell.textContent =
      bytes === undefined || within === undefined || figures === undefined ? '' : words(figures, bytes * 8, within);
  }
}

function quantity(text: unknown, units: Readonly<Record<string, number>>): number | undefined {
  const { number = '', unit = '' } =
    /^\s*(?<number>\d+(?:\.\d+)?)\s*(?<unit>[a-z]+)\s*$/i.exec(typeof text === 'string' ? text : '')?.groups ?? {};
  const size = units[unit.toLowerCase()];
  return size === undefined ? undefined : Number(number) * size;
}

function words(text: string, bits: number, within: number): string {
  const [slowestBurst = 0, fastestBurst = 0, sustained = 0, leastBurstBits = 0, mostBurstBits = 0] = text
    .split(' ')
    .map(Number);
  const isLasting = text.split(' ')[2] === '';
  const figures = {
    slowestBurst,
    fastestBurst,
    sustained: isLasting ? null : sustained,
    leastBurstBits,
    mostBurstBits,
  };
  const answer = transferAnswer(figures, bits);
  return `${verdict(answer, within)}: ${range(answer)}, ${THROTTLED[answer.throttled]}`;
}

const THROTTLED = { no: 'not throttled', perhaps: 'perhaps throttled', yes: 'throttled' };

const verdict = ({ lowSeconds, highSeconds }: TransferAnswer, within: number) =>
  highSeconds <= within ? 'in time' : lowSeconds > within ? 'too slow' : 'perhaps in time';

function range({ lowSeconds, highSeconds }: TransferAnswer): string {
  const unit = lowSeconds < 120 ? 's' : lowSeconds < 7200 ? 'min' : 'h';
  const size = { s: 1, min: 60, h: 3600 }[unit];
  const [low, high] = [lowSeconds, highSeconds].map((seconds) => Number((seconds / size).toPrecision(3)));
  if (highSeconds === Infinity) return `${low} ${unit} or more`;
  return `${low === high ? low : `${low} to ${high}`} ${unit}`;
}
