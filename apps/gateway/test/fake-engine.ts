import { EchoMQError } from '@echomq/core';
import type { Services } from '@echomq/engine';
import type { ServedEngine } from '../src/serve.js';

type Apis = { readonly [S in keyof Services]?: Partial<Services[S]> };

/** Services of which only the given methods do something; all others are refused. `reached` notes who was called. */
export function fakeServices(apis: Apis = {}, reached: string[] = []): Services {
  const serviceNames = ['producer', 'worker', 'queue', 'scheduler', 'event', 'gateway'] as const;
  const entries = serviceNames.map((name) => [name, refusing(apis[name] ?? {}, reached)] as const);
  return Object.fromEntries(entries) as unknown as Services;
}

type Method = (...args: unknown[]) => unknown;

function refusing(api: object, reached: string[]): object {
  return new Proxy(api, {
    get: (target, name) => {
      const method: Method = Reflect.get(target, name) ?? notHere;
      return (...args: unknown[]) => {
        reached.push(String(name));
        return method(...args);
      };
    },
  });
}

const notHere = async () => {
  throw new EchoMQError('not in this test', { code: 'UNIMPLEMENTED', reason: 'FEATURE_DISABLED' });
};

/** An engine whose life a test directs. `steps` notes what was asked of it, in order. */
export class FakeEngine implements ServedEngine {
  readonly steps: string[] = [];
  /** The methods that were called, in order. */
  readonly reached: string[] = [];
  readonly services: Services;
  readonly #listeners = new Set<(ready: boolean) => void>();
  #ready = true;
  /** What {@link drain} waits for. */
  whileDraining: () => Promise<void> = async () => undefined;

  constructor(apis: Apis = {}) {
    this.services = fakeServices(apis, this.reached);
  }

  servicesOf(): Services {
    return this.services;
  }

  get ready(): boolean {
    return this.#ready;
  }

  turn(ready: boolean): void {
    this.#ready = ready;
    for (const listener of this.#listeners) listener(ready);
  }

  onReadyChange(listener: (ready: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    this.steps.push('start');
  }

  async drain({ timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
    this.steps.push(`drain ${timeoutMs}`);
    await this.whileDraining();
    this.steps.push('drained');
  }

  async close(): Promise<void> {
    this.steps.push('close');
  }
}
