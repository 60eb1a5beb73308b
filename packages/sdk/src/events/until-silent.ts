/**
 * The messages of a stream. Where the next one takes too long to come, `onSilence` is called, which is to break the
 * stream; while nobody asks for the next one no time passes.
 *
 * @param limitMs how long a message may take
 */
export async function* untilSilent<T>(
  messages: AsyncIterable<T>,
  limitMs: number,
  onSilence: () => void,
): AsyncGenerator<T, void, undefined> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(onSilence, limitMs);
      const next = await iterator.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
