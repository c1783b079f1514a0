// Room: helpers that know nothing of packs.
/** Runs one piece of work after the other. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  async run<T> (work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})

    return turn
  }
}
