/** The longest that a test waits for anything unless it says otherwise. */
export const DEFAULT_LIMIT_MS = 5_000;

/**
 * The promise, or an error that names what did not come in time. Its timer goes with the wait.
 *
 * @param what completes the sentence "… did not come within n ms"
 */
export async function withLimit<T>(
  promise: Promise<T>,
  what: string,
  limitMs: number = DEFAULT_LIMIT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} did not come within ${limitMs} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
