import type { Session } from './answers.js';
import type { Refused } from './ask.js';
import { Logo } from './logo.js';
import type { Route } from './route.js';

interface Props {
  readonly session: Session;
  readonly trouble: Refused | undefined;
  readonly at: Route['at'];
  readonly onLeave: () => void;
}

/** The head of every screen: where one is, who one is, and whether what is shown is of now. */
export function TopBar({ session, trouble, at, onLeave }: Props) {
  const { name, namespace, open } = session;
  const current = (here: boolean) => (here ? { 'aria-current': 'page' as const } : {});
  return (
    <header class="top">
      <a class="home" href="#/" aria-label="EchoMQ, all queues">
        <Logo />
      </a>
      <nav aria-label="Sections">
        <a href="#/" {...current(at !== 'workers')}>
          Queues
        </a>
        <a href="#/workers" {...current(at === 'workers')}>
          Workers
        </a>
      </nav>
      <span class={trouble ? 'live bad' : 'live'} role="status">
        <i aria-hidden="true" />
        {trouble ? `${trouble.message}${trouble.reason ? ` (${trouble.reason})` : ''}` : 'live'}
      </span>
      {!open && (
        <span class="who">
          <span title="signed in as">
            {name}
            {namespace !== '' && <small> {namespace}</small>}
          </span>
          <button type="button" class="quiet" onClick={onLeave}>
            Sign out
          </button>
        </span>
      )}
    </header>
  );
}
