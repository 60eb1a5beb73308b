/** What a run has opened, to be closed in the reverse order whatever happens. */
export class Ending implements AsyncDisposable {
  readonly #steps: { readonly what: string; readonly close: () => unknown }[] = [];
  #ending: Promise<readonly string[]> | undefined;

  /** Notes how something that has just been opened is closed. */
  add(what: string, close: () => unknown): void {
    this.#steps.push({ what, close });
  }

  /**
   * Closes all, also after one that could not be closed.
   *
   * @returns what could not be closed, a line each; the same for each call
   */
  run(): Promise<readonly string[]> {
    this.#ending ??= this.#closeAll();
    return this.#ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run();
  }

  async #closeAll(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.close();
      } catch (error) {
        problems.push(`${step.what} did not end in good order: ${(error as Error).message}`);
      }
    }
    return problems;
  }
}
