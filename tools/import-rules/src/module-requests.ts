import { type Token, tokenize } from './tokens.js';

/** A place where a file asks for another module, whether for a value or for a type. */
export interface ModuleRequest {
  /** What is asked for; `undefined` when it is computed and nobody can check it. */
  readonly specifier: string | undefined;
  /** From 1. */
  readonly line: number;
  /** `import type`, `export type`: nothing is loaded. `import { type X }` still loads the module. */
  readonly typesOnly?: true;
}

/** Finds `import`, `export … from`, `import()`, `import.meta.resolve()`, `require()` and `require.resolve()`. */
export function moduleRequests(text: string): readonly ModuleRequest[] {
  const tokens = tokenize(text);
  const found: ModuleRequest[] = [];
  tokens.forEach((token, at) => {
    if (token.kind !== 'word' || isMember(tokens, at)) return;
    const request = requestAt(tokens, at);
    if (request) found.push(request);
  });
  return found;
}

function requestAt(tokens: readonly Token[], at: number): ModuleRequest | undefined {
  const word = tokens[at]?.text;
  if (word === 'import') return importAt(tokens, at);
  if (word === 'export') return exportAt(tokens, at);
  if (word !== 'require') return undefined;
  return (
    called(tokens, at + 1) ??
    (textAt(tokens, at + 2) === 'resolve' ? called(tokens, at + 3) : undefined)
  );
}

function importAt(tokens: readonly Token[], at: number): ModuleRequest | undefined {
  const next = tokens[at + 1];
  if (next?.kind === 'string') return { specifier: next.text, line: next.line };
  if (next?.text === '(') return called(tokens, at + 1);
  if (next?.text !== '.') return clause(tokens, at + 1);
  const resolves = textAt(tokens, at + 2) === 'meta' && textAt(tokens, at + 4) === 'resolve';
  return resolves ? called(tokens, at + 5) : undefined;
}

function exportAt(tokens: readonly Token[], at: number): ModuleRequest | undefined {
  const first = textAt(tokens, at + 1) === 'type' ? at + 2 : at + 1;
  const opens = textAt(tokens, first) === '{' || textAt(tokens, first) === '*';
  return opens ? clause(tokens, at + 1) : undefined;
}

/** What stands between the keyword and the string; a leading `type` is one unless it is itself the name. */
function clause(tokens: readonly Token[], start: number): ModuleRequest | undefined {
  const request = fromClause(tokens, start);
  const next = textAt(tokens, start + 1);
  const typesOnly = textAt(tokens, start) === 'type' && next !== 'from' && next !== ',';
  return request && typesOnly ? { ...request, typesOnly } : request;
}

/** The string behind `from`, if nothing but names, braces, commas and stars stands before it. */
function fromClause(tokens: readonly Token[], start: number): ModuleRequest | undefined {
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    const next = tokens[at + 1];
    if (token.text === 'from' && token.kind === 'word' && next?.kind === 'string') {
      return { specifier: next.text, line: next.line };
    }
    const fits = token.kind === 'word' || token.kind === 'string' || /^[{},*]$/.test(token.text);
    if (!fits) return undefined;
    // A list that is closed and not followed by `from` names what this file has itself.
    if (token.text === '}' && next?.text !== 'from') return undefined;
  }
  return undefined;
}

/** The one argument of a call whose bracket stands at `at`. */
function called(tokens: readonly Token[], at: number): ModuleRequest | undefined {
  if (textAt(tokens, at) !== '(') return undefined;
  const argument = tokens[at + 1];
  if (argument === undefined || argument.text === ')') return undefined;
  const whole = argument.kind === 'string' && /^[),]$/.test(textAt(tokens, at + 2) ?? '');
  return { specifier: whole ? argument.text : undefined, line: argument.line };
}

/** `x.import`, `{ import: … }`: names, not requests. `...import()` is one. */
function isMember(tokens: readonly Token[], at: number): boolean {
  const behindDot = textAt(tokens, at - 1) === '.' && textAt(tokens, at - 2) !== '.';
  return behindDot || textAt(tokens, at + 1) === ':';
}

function textAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at];
  return token?.kind === 'string' || token?.kind === 'template' ? undefined : token?.text;
}
