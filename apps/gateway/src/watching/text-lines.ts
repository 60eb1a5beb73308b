import pino from 'pino';

/** Turns lines of JSON into lines for people: time, level, event, then the facts as `key=value`. */
export function textLines(to: { write(line: string): void }): { write(line: string): void } {
  return {
    write: (json) => {
      const { time, level, msg, err, ...facts } = JSON.parse(json) as Record<string, unknown>;
      const name = (pino.levels.labels[Number(level)] ?? '').toUpperCase().padEnd(5);
      const words = Object.entries(facts).map(([key, value]) => `${key}=${shown(value)}`);
      const head = [new Date(Number(time)).toISOString(), name, String(msg), ...words].join(' ');
      const stack = (err as { stack?: string } | undefined)?.stack;
      to.write(`${stack === undefined ? head : `${head}\n  ${stack.replaceAll('\n', '\n  ')}`}\n`);
    },
  };
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(value);
}
