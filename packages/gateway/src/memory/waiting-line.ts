import type { Share, ShareInit } from './share.ts'

export interface Waiting {
  init: ShareInit
  grant: (share: Share) => void
}

/** Those of one client. */
interface Turns {
  /** How many turns it had, and before it came the client that had its turn last. */
  turn: number
  /** In the order in which they came. */
  waiting: Waiting[]
}

/**
 * Who waits for memory. Clients take turns: so one waits for one response of each of the others, however many these
 * ask for (start-time fair queueing).
 */
export class WaitingLine {
  readonly #clients = new Map<string, Turns>()
  #turn = 0
  #length = 0

  get length (): number {
    return this.#length
  }

  add (waiting: Waiting): void {
    const { client = '' } = waiting.init
    const turns = this.#clients.get(client) ?? { turn: this.#turn, waiting: [] }

    turns.waiting.push(waiting)
    this.#clients.set(client, turns)
    this.#length++
  }

  /** Take out one that waits. */
  remove (waiting: Waiting): void {
    const { client = '' } = waiting.init
    const turns = this.#clients.get(client)
    const at = turns?.waiting.indexOf(waiting) ?? -1

    if (turns != null && at >= 0) {
      turns.waiting.splice(at, 1)
      this.#length--

      if (turns.waiting.length === 0) {
        this.#clients.delete(client)
      }
    }
  }

  /** Whose turn it is: of the clients that had the fewest turns, and of their responses, the first one or the last. */
  peek (isLast: boolean): Waiting | undefined {
    let next: Turns | undefined

    for (const turns of this.#clients.values()) {
      if (next == null || turns.turn < next.turn || (isLast && turns.turn === next.turn)) {
        next = turns
      }
    }

    return next?.waiting.at(isLast ? -1 : 0)
  }

  /** Take out one whose turn it is. */
  take (waiting: Waiting): void {
    const turns = this.#clients.get(waiting.init.client ?? '')

    if (turns != null) {
      this.#turn = turns.turn
      turns.turn++
    }

    this.remove(waiting)
  }
}
