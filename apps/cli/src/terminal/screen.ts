import { stripVTControlCharacters } from 'node:util';

const CLEAR_TO_END = '\u001b[0J';
const up = (lines: number) => (lines === 0 ? '' : `\u001b[${lines}A\r`);

/** A part of the terminal that is written over and over. */
export class Screen {
  #height = 0;

  /** Shows a text in the place of the last one. Lines that the window is too narrow for are cut. */
  show(text: string): void {
    const { columns = 200, rows = 60 } = process.stdout;
    const lines = text.split('\n').slice(0, rows - 1);
    const cut = lines.map((line) => stripVTControlCharacters(line).slice(0, columns - 1));
    process.stdout.write(`${up(this.#height)}${CLEAR_TO_END}${cut.join('\n')}\n`);
    this.#height = cut.length;
  }
}
