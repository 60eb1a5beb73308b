import { isNode, LineCounter, parseDocument } from 'yaml';

/** The place of a value in a document: keys and indexes from its root. */
export type ValuePath = readonly (string | number)[];

/** A YAML or JSON text as plain values, with the lines on which they stand. */
export interface YamlText {
  /** `undefined` for an empty text. */
  readonly value: unknown;
  /** The line of a value, from 1; of the nearest one around it where it is absent. */
  lineOf(path: ValuePath): number;
  /** A scalar as it is written, `0x10` as `0x10`; `undefined` where the value is none. */
  sourceOf(path: ValuePath): string | undefined;
}

/** A text is no YAML. No message repeats a part of the text: it may hold secrets. */
export class YamlError extends Error {
  constructor(readonly faults: readonly { readonly line: number; readonly problem: string }[]) {
    super('is no YAML');
  }
}

/**
 * Reads YAML 1.2, of which JSON is a part.
 *
 * @throws YamlError with every fault
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new YamlError(
      document.errors.map(({ code, pos }) => ({
        line: lines.linePos(pos[0]).line,
        problem: code === 'DUPLICATE_KEY' ? 'the key stands here twice' : 'is no YAML',
      })),
    );
  }
  const nodeAt = (path: ValuePath) => {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node : undefined;
  };
  const lineOf = (path: ValuePath): number => {
    const start = nodeAt(path)?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  const sourceOf = (path: ValuePath) => {
    const node = nodeAt(path) as { source?: string; value?: unknown } | undefined;
    if (node === undefined || node.value === null || node.value === undefined) return undefined;
    return node.source ?? String(node.value);
  };
  return { value: plain(document), lineOf, sourceOf };
}

function plain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? undefined;
  } catch {
    throw new YamlError([{ line: 1, problem: 'has too many aliases' }]);
  }
}
