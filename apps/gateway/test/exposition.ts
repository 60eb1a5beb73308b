/** A sample of a text in Prometheus's format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of an exposition. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inner = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const labels = Object.fromEntries(
      [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]),
    ) as Record<string, string>;
    return [{ name, labels, value: Number(value) }];
  });
}

/** The values of a metric whose labels are at least these. */
export function valuesOf(samples: readonly Sample[], name: string, labels: object = {}): number[] {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .map(({ value }) => value);
}
