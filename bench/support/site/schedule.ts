import { sum } from '../../benchmark.ts'
import type { Plan } from './plans.ts'
import type { Side } from './side.ts'

const MINUTE = 60

/** A side is ended when it takes this many times as long as planned, and at least as many seconds. */
const PATIENCE = 3
const LEAST_PATIENCE = 300

/** How long measuring takes, and how much of it is left: by what it took on two cores that did nothing else. */
export class Schedule {
  readonly #plan: Plan
  readonly #left: Map<Side, number>
  #last = performance.now()
  /** Seconds of what was measured to the end: planned, and taken. */
  #planned = 0
  #took = 0

  constructor (plan: Plan, sides: readonly Side[]) {
    this.#plan = plan
    this.#left = new Map(sides.map(side => [side, plan.rounds]))
  }

  announce (): string {
    const { rounds } = this.#plan

    return `${count(this.#left.size, 'side')}, ${rounds === 1 ? 'once' : `${rounds} times`}: about ${
      minutes(this.#remaining())} on two cores that do nothing else`
  }

  /** How long a side may take, in milliseconds. */
  timeout (side: Side): number {
    return Math.max(LEAST_PATIENCE, PATIENCE * this.#secondsOf(side)) * 1000
  }

  /** What is left when a side has been measured once more, or has failed, and so is measured no more. */
  done (side: Side, failed: boolean): string {
    this.#left.set(side, failed ? 0 : (this.#left.get(side) ?? 0) - 1)
    const now = performance.now()
    const took = (now - this.#last) / 1000
    this.#last = now

    // one that failed says nothing of the others
    if (!failed) {
      this.#planned += this.#secondsOf(side)
      this.#took += took
    }

    // as much slower or faster as it was so far
    const left = this.#remaining() * (this.#planned === 0 ? 1 : this.#took / this.#planned)

    return `${side.name} took ${count(Math.round(took), 'second')}: about ${minutes(left)} left`
  }

  #remaining (): number {
    return sum([...this.#left].map(([side, rounds]) => rounds * this.#secondsOf(side)))
  }

  #secondsOf ({ startSeconds }: Side): number {
    return startSeconds + this.#plan.seconds
  }
}

function minutes (seconds: number): string {
  return count(Math.ceil(seconds / MINUTE), 'minute')
}

function count (number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
