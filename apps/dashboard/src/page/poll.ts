import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Asked, Refused, type Shown, show } from './ask.js';
import { useDesk } from './desk.js';

/** From an answer to the next question. */
const EVERY_MS = 2_000;

/**
 * Reads a screen over and over: one request at a time, 2 s after the last answer, none while nobody looks. `asked` is made
 * anew for each question; what it depends on is in `key`, whose change asks at once and forgets what was shown.
 */
export function usePoll(key: string, asked: () => Asked): { shown: Shown; refresh: () => void } {
  const { failed } = useDesk();
  const [state, setState] = useState<{ key: string; shown: Shown }>({ key, shown: {} });
  const latest = useRef(asked);
  latest.current = asked;
  const kick = useRef(() => {});
  useEffect(() => {
    const over = new AbortController();
    let timer = 0;
    let running = false;
    let again = false;
    const run = async () => {
      clearTimeout(timer);
      if (running) {
        again = true;
        return;
      }
      if (document.hidden) return;
      running = true;
      try {
        const shown = await show(latest.current(), over.signal);
        if (over.signal.aborted) return;
        // What was read last stays on the screen, and the head says that it is not of now.
        const away = Object.values(shown).find(({ error }) => error?.code === 'UNAVAILABLE')?.error;
        if (away) throw new Refused(503, away.reason, away.message);
        failed(undefined);
        setState((before) => ({
          key,
          shown: before.key === key ? { ...before.shown, ...shown } : shown,
        }));
      } catch (error) {
        if (over.signal.aborted) return;
        failed(error instanceof Refused ? error : new Refused(0, '', String(error)));
      } finally {
        running = false;
      }
      const wait = again ? 0 : EVERY_MS;
      again = false;
      timer = setTimeout(run, wait);
    };
    kick.current = () => void run();
    void run();
    document.addEventListener('visibilitychange', run);
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [key, failed]);
  const refresh = useCallback(() => kick.current(), []);
  return { shown: state.key === key ? state.shown : {}, refresh };
}
