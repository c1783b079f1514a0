import type { Random } from '../../../../test/support/random.ts'

interface Turn {
  process: SimulatedProcess
  go: () => void
  /** What of the call happens if the process is killed in it. */
  onKill: (() => void) | undefined
}

export interface SimulatedProcess {
  readonly name: string
  isAlive: boolean
}

/** Lets one call to the disk after the other happen, in an order that a seed decides. */
export class Scheduler {
  readonly #random: Random
  #turns: Turn[] = []

  constructor (random: Random) {
    this.#random = random
  }

  /** Resolves when a call may happen: never if the process is killed before. */
  async turn (process: SimulatedProcess, onKill?: () => void): Promise<void> {
    await new Promise<void>(resolve => {
      if (process.isAlive) {
        this.#turns.push({ process, go: resolve, onKill })
      }
    })
  }

  /** Let one call happen, and what follows until the next calls. @returns false if none waits */
  async step (): Promise<boolean> {
    const [turn] = this.#turns.length === 0
      ? [undefined]
      : this.#turns.splice(this.#random.below(this.#turns.length), 1)
    turn?.go()
    await new Promise(resolve => { setImmediate(resolve) })

    return turn != null
  }

  kill (process: SimulatedProcess): void {
    process.isAlive = false

    for (const { process: other, onKill } of this.#turns) {
      if (other === process && this.#random.chance(0.5)) {
        onKill?.()
      }
    }

    this.#turns = this.#turns.filter(({ process: other }) => other !== process)
  }
}
