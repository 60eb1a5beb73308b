/**
 * Whether to fetch right behind an add, before any marker tells of it. Not where that brought nothing the last time, as
 * on a queue that is paused or whose jobs others take first: till a job comes from there again, its marker is waited for.
 */
export class LookAhead {
  #underWay = false;
  #inVain = false;

  /** Whether a look ahead is likely to find a job. */
  get promising(): boolean {
    return !this.#inVain;
  }

  /** One begins. */
  begin(): void {
    this.#underWay = true;
  }

  /** A fetch has come back. */
  fetched(job: boolean): void {
    if (job) this.#inVain = false;
    else if (this.#underWay) this.#inVain = true;
    this.#underWay = false;
  }
}
