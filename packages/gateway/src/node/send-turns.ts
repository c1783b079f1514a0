/** How many parts of 64 KiB, of all responses, are sent in one turn of the event loop: some 2 ms. */
const PARTS = 8

/**
 * Lets few responses send a part in each turn of the event loop. Libuv accepts one connection in each turn: if hundreds
 * of responses did something in all of them, each would last 40 ms or more, and a few thousand connections would wait
 * minutes to be accepted, with those behind them. While connections come, they go first.
 */
export class SendTurns {
  readonly #waiting: Array<() => void> = []
  #sent = 0
  #isAccepting = false
  #isScheduled = false

  /** To be called for each connection. */
  readonly accept = (): void => {
    this.#isAccepting = true
    this.#schedule()
  }

  /** Wait until a part may be sent. */
  async next (): Promise<void> {
    this.#schedule()

    if (this.#waiting.length === 0 && this.#sent < this.#parts) {
      this.#sent++
    } else {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }
  }

  get #parts (): number {
    return this.#isAccepting ? 1 : PARTS
  }

  #schedule (): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#begin)
    }
  }

  readonly #begin = (): void => {
    const next = this.#waiting.splice(0, this.#parts)

    this.#isScheduled = false
    this.#isAccepting = false
    this.#sent = next.length
    next.forEach(send => { send() })

    if (next.length > 0) {
      this.#schedule()
    }
  }
}
