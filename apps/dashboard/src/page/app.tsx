import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Session } from './answers.js';
import { ask, Refused, useToken } from './ask.js';
import { type Confirmation, ConfirmDialog } from './confirm.js';
import { type Desk, DeskContext } from './desk.js';
import { QueuePage } from './queue-page.js';
import { QueuesPage } from './queues-page.js';
import { useRoute } from './route.js';
import { SignIn } from './sign-in.js';
import { TopBar } from './top-bar.js';
import { WorkersPage } from './workers-page.js';

interface Said {
  readonly text: string;
  readonly bad: boolean;
}

/** Something said stays so long, ms. */
const SAID_MS = 6_000;

/** The whole page: signs in, then shows what the address names. */
export function App() {
  const route = useRoute();
  const [session, setSession] = useState<Session | undefined>();
  const [problem, setProblem] = useState<Refused | undefined>();
  const [trouble, setTrouble] = useState<Refused | undefined>();
  const [said, setSaid] = useState<Said | undefined>();
  const [asking, setAsking] = useState<Confirmation | undefined>();

  const enter = useCallback(async (token?: string) => {
    if (token !== undefined) useToken(token);
    try {
      setSession(await ask<Session>('session', {}));
      setProblem(undefined);
    } catch (error) {
      setSession(undefined);
      setProblem(error as Refused);
    }
  }, []);
  const leave = useCallback((why?: Refused) => {
    useToken('');
    setSession(undefined);
    setProblem(why ?? new Refused(401, 'CREDENTIALS_MISSING', ''));
  }, []);
  useEffect(() => void enter(), [enter]);
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);

  const desk = useMemo<Desk>(() => {
    const say = (text: string, bad = false) => setSaid({ text, bad });
    const failed = (error: Refused | undefined) => {
      if (error?.status === 401) leave(error);
      else setTrouble(error);
    };
    return {
      failed,
      say,
      confirm: setAsking,
      change: async (name, body, { done, after }) => {
        try {
          const answer = await ask<Readonly<Record<string, unknown>>>(`change/${name}`, body);
          say(typeof done === 'string' ? done : done(answer));
          after?.();
        } catch (error) {
          const { status, reason, message } = error as Refused;
          if (status === 401) leave(error as Refused);
          else say(`${message} (${reason})`, true);
        }
      },
    };
  }, [leave]);

  if (!session) {
    return problem ? <SignIn problem={problem} onToken={(token) => void enter(token)} /> : null;
  }
  return (
    <DeskContext.Provider value={desk}>
      <TopBar session={session} trouble={trouble} at={route.at} onLeave={() => leave()} />
      {route.at === 'queues' && <QueuesPage />}
      {route.at === 'queue' && <QueuePage key={route.queue} route={route} />}
      {route.at === 'workers' && <WorkersPage />}
      {asking && <ConfirmDialog confirmation={asking} onClose={() => setAsking(undefined)} />}
      <div class="said" role="status" aria-live="polite">
        {said && <p class={said.bad ? 'bad' : ''}>{said.text}</p>}
      </div>
    </DeskContext.Provider>
  );
}
