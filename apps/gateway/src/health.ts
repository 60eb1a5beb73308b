import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { SERVICE_NAMES } from './binding/services.js';

/** The name under which the process alone is asked for, whatever Redis does: for liveness probes. */
export const LIVENESS = 'liveness';

/** What `grpc.health.v1` answers: `""` and each service follow {@link Health.setServing}, `liveness` is always serving. */
export class Health {
  readonly #names = ['', ...SERVICE_NAMES];
  readonly #health: HealthImplementation;
  #serving = false;

  constructor() {
    const notServing = this.#names.map((name) => [name, 'NOT_SERVING'] as const);
    this.#health = new HealthImplementation({
      ...Object.fromEntries(notServing),
      [LIVENESS]: 'SERVING',
    });
  }

  /** Puts the service on a server. */
  addTo(server: Server): void {
    this.#health.addToServer(server);
  }

  /** Says whether calls are worth while; watchers hear of a change. */
  setServing(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    for (const name of this.#names) {
      this.#health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    }
  }
}
