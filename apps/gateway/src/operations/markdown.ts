/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

/** A text that can stand in a cell. */
export const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The same, as code. */
export const code = (text: string): string => `\`${cell(text)}\``;
