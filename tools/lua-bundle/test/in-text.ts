import { inText } from '../src/in-text.js';

/** The text of a bundle of these two halves, without blank lines, once all that can stand where it is used does. */
export function made(libs: string, body = 'return f'): string {
  const { file } = inText('lua/some.lua', { libs: libs.trim(), body });
  return file.lines.filter((line) => line.trim() !== '').join('\n');
}

/** That nothing of the libs' half is changed, whatever the script does with it. */
export function isKept(libs: string, body = 'return f'): boolean {
  return made(libs, body) === `${libs.trim()}\n${body}`;
}
