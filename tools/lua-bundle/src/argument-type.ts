/** How an argument travels: the first word of its comment. */
export const ARGUMENT_TYPES = {
  string: 'string',
  bytes: 'string | Uint8Array',
  text: 'string | Uint8Array',
  json: 'string | Uint8Array',
  int: 'number',
  ms: "number | ''",
  flag: 'boolean',
  pack: '',
  'strings...': 'readonly string[]',
} as const;

/** One of the words that declare an argument's type in Lua. */
export type ArgumentTypeName = keyof typeof ARGUMENT_TYPES;

/** A declared type: its word, its TypeScript, and the words that follow it. */
export interface ArgumentType {
  readonly type: ArgumentTypeName;
  readonly typescript: string;
  readonly doc: string;
}

/** Reads a comment such as `ms ('' asks Redis)` or `pack { token: string } what it is`. */
export function parseArgumentType(comment: string): ArgumentType | { readonly error: string } {
  const [, word = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(comment) ?? [];
  if (word === '') return { error: 'has no type: write one in a comment beside it' };
  if (!Object.hasOwn(ARGUMENT_TYPES, word)) {
    const known = Object.keys(ARGUMENT_TYPES).join(', ');
    return { error: `has the unknown type ${word}: use one of ${known}` };
  }
  const type = word as ArgumentTypeName;
  if (type !== 'pack') return { type, typescript: ARGUMENT_TYPES[type], doc: plain(rest) };
  const end = endOfType(rest);
  if (end === undefined) return { error: 'has a pack type whose brackets do not close' };
  const typescript = rest.slice(0, end).trim().replace(/\s+/g, ' ');
  if (typescript === '') return { error: 'is a pack without the TypeScript type of its value' };
  return { type, typescript, doc: plain(rest.slice(end)) };
}

/** True while a pack type's brackets are open, so that the comment goes on in the next line. */
export function isOpen(comment: string): boolean {
  const rest = /^\s*pack\s+([\s\S]*)$/.exec(comment)?.[1];
  return rest !== undefined && endOfType(rest) === undefined;
}

/** Where a TypeScript type ends: at the first space outside brackets that no `|` or `&` spans. */
function endOfType(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if ('{[(<'.includes(character)) depth++;
    else if ('}])'.includes(character)) depth--;
    else if (character === '>' && text[at - 1] !== '=') depth--;
    else if (/\s/.test(character) && depth === 0) {
      const before = text.slice(0, at);
      const spans = /(^|[|&]|\breadonly)\s*$/.test(before) || /^\s*[|&]/.test(text.slice(at));
      if (!spans) return at;
    }
  }
  return depth === 0 ? text.length : undefined;
}

function plain(text: string): string {
  return text
    .trim()
    .replace(/^[-:;,]\s*/, '')
    .replace(/\s+/g, ' ');
}
