import type { Consumer } from './consumer.js';

/** The consumers of a queue that want jobs, first come first served; who got one and wants more stands last again. */
export class FetchLine {
  /** Those that hold a part of what they asked for: they take what else is ready, before all others. */
  readonly #filling = new Set<Consumer>();
  readonly #waiting = new Set<Consumer>();

  /** Stands in line; who does already keeps the place. */
  join(consumer: Consumer): void {
    if (!this.#filling.has(consumer)) this.#waiting.add(consumer);
  }

  /** Leaves, at no cost of a search. */
  leave(consumer: Consumer): void {
    this.#waiting.delete(consumer);
    this.#filling.delete(consumer);
  }

  /** Whether nobody stands in line. */
  get empty(): boolean {
    return this.#waiting.size === 0 && this.#filling.size === 0;
  }

  /** Begins at most `max` fetches: in the order of the line, one for each, then again. Who wants none leaves. */
  begin(max: number): Consumer[] {
    const chosen: Consumer[] = [];
    for (const line of [this.#filling, this.#waiting]) {
      for (let progress = true; progress && chosen.length < max; ) {
        progress = false;
        for (const consumer of line) {
          if (chosen.length >= max) break;
          if (consumer.want() > 0) {
            consumer.begin();
            chosen.push(consumer);
            progress = true;
          } else if (!chosen.includes(consumer)) {
            line.delete(consumer);
          }
        }
      }
    }
    return chosen;
  }

  /** The consumer got a job. */
  served(consumer: Consumer): void {
    this.leave(consumer);
    if (consumer.want() <= 0) return;
    if (consumer.filling) this.#filling.add(consumer);
    else this.#waiting.add(consumer);
  }

  /** The consumer's fetch brought nothing: it keeps its place. */
  missed(consumer: Consumer): void {
    if (consumer.want() > 0) this.join(consumer);
  }

  /** Tells all that the queue has nothing (true) or may have something (false). */
  settle(idle: boolean): void {
    for (const consumer of [...this.#filling, ...this.#waiting]) consumer.settle(idle);
  }

  /** Whether somebody wants a job. Who wants none may have a fetch under way, and keeps the place that it will need. */
  hasDemand(): boolean {
    for (const line of [this.#filling, this.#waiting]) {
      for (const consumer of line) if (consumer.want() > 0) return true;
    }
    return false;
  }
}
