import type { EventQueue } from './event-queue.ts'
import type { Random } from '../../../../test/support/random.ts'
import type { Clock } from '@ipfsz/shared-store'

const HOUR = 3_600_000

/** A process of a node. It hears of nothing while it is suspended, and of nothing any more when it was killed. */
export class SimulatedProcess {
  readonly name: string
  readonly clock: Clock
  isAlive = true
  readonly #events: EventQueue
  #wakesAt = 0
  /** What its clock shows more than the simulation's. */
  #ahead: number

  constructor (name: string, events: EventQueue, random: Random) {
    this.name = name
    this.#events = events
    this.#ahead = random.below(48) * HOUR
    this.clock = {
      now: () => events.now + this.#ahead,
      after: (milliseconds, run) => this.at(events.now + Math.max(0, milliseconds), run)
    }
  }

  /** Let it know something at a time. @returns what takes it back */
  at (time: number, run: () => void): () => void {
    let cancel = this.#events.at(time, () => {
      if (this.isAlive && this.#events.now < this.#wakesAt) {
        cancel = this.at(this.#wakesAt, run)
      } else if (this.isAlive) {
        run()
      }
    })

    return () => { cancel() }
  }

  /** @param isClockStopped - whether its clock stands still meanwhile, as some do when a machine sleeps */
  suspend (milliseconds: number, isClockStopped: boolean): void {
    if (this.#events.now < this.#wakesAt) {
      return
    }

    this.#wakesAt = this.#events.now + milliseconds

    if (isClockStopped) {
      // it is not asked meanwhile
      this.#ahead -= milliseconds
    }
  }

  /** Set its clock, which never goes back. */
  jump (milliseconds: number): void {
    this.#ahead += milliseconds
  }
}
