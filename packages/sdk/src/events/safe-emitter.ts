import { EventEmitter } from 'node:events';

/**
 * An emitter whose listeners cannot harm the side that tells them: what one throws, or rejects with, is told once as
 * `error`, and the others still run. An `error` that nobody listens to becomes a process warning instead of the end of
 * the process.
 */
export class SafeEmitter<
  Events extends Record<keyof Events, unknown[]> & { error: [Error] },
> extends EventEmitter<Events> {
  /** @internal Tells the listeners. Never throws. */
  protected tell<Name extends keyof Events & string>(name: Name, ...args: Events[Name]): void {
    if (this.listenerCount(name as never) === 0) {
      if (name === 'error') process.emitWarning(args[0] as Error);
      return;
    }
    for (const listener of this.rawListeners(name as never)) this.#call(name, listener, args);
  }

  #call(name: string, listener: unknown, args: readonly unknown[]): void {
    try {
      const returned = (listener as (...args: readonly unknown[]) => unknown).apply(this, [
        ...args,
      ]);
      if (returned instanceof Promise) returned.catch((error) => this.#report(name, error));
    } catch (error) {
      this.#report(name, error);
    }
  }

  #report(name: string, cause: unknown): void {
    const error = new Error(`a listener of "${name}" failed`, { cause });
    // A listener of `error` that fails is not told about itself.
    if (name === 'error') process.emitWarning(error);
    else this.tell('error', ...([error] as unknown as Events['error']));
  }
}
