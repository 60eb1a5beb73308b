/** The last bytes of a stream. */
export class Tail {
  readonly #most: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  /** Something of it was dropped. */
  cut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= this.#most) {
      this.#size -= this.#chunks.shift()?.length ?? 0;
      this.cut = true;
    }
    if (this.#size > this.#most) this.cut = true;
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#most).toString('utf8');
  }
}
