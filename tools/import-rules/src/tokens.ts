/** A piece of TypeScript or JavaScript that is neither space nor comment. */
export interface Token {
  /** `string` also covers a template without `${}`; `template` is one with it, and its inner tokens follow. */
  readonly kind: 'word' | 'string' | 'template' | 'other';
  /** A string's text has no quotes; its escapes are left as they are. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*)+/y;
const WORD = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const NUMBER = /\d[\w.]*/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

/** Words after which a slash begins a regular expression, not a division. */
const BEFORE_REGEX =
  /^(?:return|typeof|case|in|of|do|else|void|delete|instanceof|new|throw|yield|await)$/;

/**
 * Cuts a source text into tokens. It knows strings, templates, comments and regular expressions, which is what a
 * search for imports and for the use of names must not be fooled by; it checks no grammar.
 */
export function tokenize(text: string): readonly Token[] {
  return new Tokenizer(text).run();
}

class Tokenizer {
  readonly #tokens: Token[] = [];
  /** Per open `${`: how many braces are open inside it. */
  readonly #templates: number[] = [];
  #at = 0;
  #line = 1;

  constructor(readonly text: string) {}

  run(): readonly Token[] {
    while (this.#at < this.text.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const { text } = this;
    if (this.#take(SPACE) !== undefined) return;
    const char = text[this.#at];
    if (char === '`') {
      this.#skip(1);
      this.#template();
    } else if (char === '}' && this.#templates.at(-1) === 0) {
      this.#templates.pop();
      this.#skip(1);
      this.#template();
    } else {
      this.#plain(char);
    }
  }

  #plain(char: string | undefined): void {
    const line = this.#line;
    const word = this.#take(WORD);
    const string = word ?? this.#take(STRING);
    if (word !== undefined) {
      this.#push('word', word, line);
    } else if (string !== undefined) {
      this.#push('string', string.slice(1, -1), line);
    } else {
      this.#push('other', this.#numberOrRegex() ?? this.#sign(char ?? ''), line);
    }
  }

  #numberOrRegex(): string | undefined {
    return this.#take(NUMBER) ?? (this.#regexMayStand() ? this.#take(REGEX) : undefined);
  }

  /** One sign; braces inside a `${}` are counted, so that its own end is known. */
  #sign(char: string): string {
    const open = this.#templates.length - 1;
    if (open >= 0 && char === '{') this.#templates[open] = (this.#templates[open] ?? 0) + 1;
    if (open >= 0 && char === '}') this.#templates[open] = (this.#templates[open] ?? 0) - 1;
    this.#skip(1);
    return char;
  }

  /** From behind the backtick or the closing brace of a `${}` to the next `${` or the end. */
  #template(): void {
    const line = this.#line;
    const started = this.text[this.#at - 1] === '`';
    const chunk = this.#take(TEMPLATE_TEXT) ?? '';
    if (this.text.startsWith('${', this.#at)) {
      this.#skip(2);
      this.#templates.push(0);
      if (started) this.#push('template', chunk, line);
      return;
    }
    this.#skip(1);
    // The end of a template with holes is a token too: what follows it is a division, not a regex.
    this.#push(started ? 'string' : 'template', chunk, line);
  }

  #regexMayStand(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined) return true;
    if (last.kind === 'word') return BEFORE_REGEX.test(last.text);
    return last.kind === 'other' && !/^[)\]\w]/.test(last.text);
  }

  #push(kind: Token['kind'], text: string, line: number): void {
    this.#tokens.push({ kind, text, line });
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return undefined;
    this.#skip(found.length);
    return found;
  }

  #skip(length: number): void {
    for (let i = this.#at; i < this.#at + length; i++) if (this.text[i] === '\n') this.#line++;
    this.#at += length;
  }
}
