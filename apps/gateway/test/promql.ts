import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression reads, with the labels by which it chooses. */
export interface Selected {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** What an expression of PromQL reads, and the labels that its result is grouped by. */
export interface Reading {
  readonly selected: readonly Selected[];
  readonly grouped: readonly string[];
}

/** Takes an expression apart, by the grammar of Prometheus's own editor. @throws Error where it is no PromQL */
export function readingOf(expression: string): Reading {
  const selected: Selected[] = [];
  const grouped: string[] = [];
  const text = (node: SyntaxNode) => expression.slice(node.from, node.to);
  parser.parse(expression).iterate({
    enter: (ref) => {
      const { node, name } = ref;
      if (node.type.isError) throw new Error(`no PromQL at ${ref.from}: ${expression}`);
      if (name === 'VectorSelector') {
        const metric = node.getChild('Identifier');
        const labels = allBelow(node, 'LabelName').map(text);
        selected.push({ metric: metric ? text(metric) : '', labels });
      } else if (name === 'GroupingLabels') {
        grouped.push(...allBelow(node, 'LabelName').map(text));
      }
    },
  });
  return { selected, grouped };
}

function allBelow(node: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  node.cursor().iterate((ref) => {
    if (ref.name === name && ref.from >= node.from && ref.to <= node.to) found.push(ref.node);
  });
  return found;
}
