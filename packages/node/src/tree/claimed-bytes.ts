/**
 * How many bytes of blocks are verified or written, as links claim them: the total is made of claims, too. `verify`
 * reads less, as it reads what occurs several times once.
 */
export class ClaimedBytes {
  readonly #report: (bytes: number) => void
  /** What files in progress claim, what was read of them, and how much of that is reported. */
  #claimed = 0
  #read = 0
  #reported = 0

  /** @param report - called with the bytes since the last call */
  constructor (report: (bytes: number) => void) {
    this.#report = report
  }

  /** All of this is done. */
  add (bytes: number): void {
    this.#report(bytes)
  }

  /** Work on a file. What is read meanwhile counts up to what is claimed, and in the end that counts. */
  async during<T> (claim: number, work: () => Promise<T>): Promise<T> {
    this.#read = this.#claimed === 0 ? 0 : this.#read
    this.#claimed += claim

    return work().finally(() => {
      this.#claimed -= claim
      this.#read = Math.max(0, this.#read - claim)
      this.#update(claim)
    })
  }

  /** Call with the bytes of each block that is read for a file. */
  readonly read = (bytes: number): void => {
    this.#read += bytes
    this.#update(0)
  }

  /** @param done - of files that are complete */
  #update (done: number): void {
    const reported = Math.floor(Math.min(this.#read, this.#claimed))

    this.#report(done + reported - this.#reported)
    this.#reported = reported
  }
}
