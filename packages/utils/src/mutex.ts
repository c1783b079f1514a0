/** Runs one piece of work after the other, in order. (mortice locks by a name that all contexts of a process share.) */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  async run<T> (work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})

    return turn
  }
}
