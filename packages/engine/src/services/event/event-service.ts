import type { EventApi } from '../../service.js';
import type { EventDeps } from './event-query.js';
import { pollEvents } from './pollEvents.js';
import { subscribe } from './subscribe.js';

/** EventService. */
export function eventService(deps: EventDeps): EventApi {
  return { subscribe: subscribe(deps), pollEvents: pollEvents(deps) };
}
