import { useEffect, useState } from 'preact/hooks';

/** Where the page is. Names of queues and jobs are in the address, a token never is. */
export interface Route {
  readonly at: 'queues' | 'queue' | 'workers';
  readonly queue: string;
  /** A state, `schedulers` or `workers`. */
  readonly tab: string;
  /** Of the job that is open; empty: none. */
  readonly jobId: string;
}

/** The address of a queue's tab, with a job open or not. */
export function queueHref(queue: string, tab = 'waiting', jobId = ''): string {
  const parts = ['queues', queue, tab, ...(jobId === '' ? [] : [jobId])];
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** Goes there. */
export function go(href: string): void {
  location.hash = href;
}

function routeOf(hash: string): Route {
  const [head = '', queue = '', tab = 'waiting', jobId = ''] = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map(decoded);
  if (head === 'workers') return { at: 'workers', queue: '', tab: '', jobId: '' };
  if (head === 'queues' && queue !== '') return { at: 'queue', queue, tab, jobId };
  return { at: 'queues', queue: '', tab: '', jobId: '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The route of the address, as it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
