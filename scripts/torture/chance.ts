import { random } from '../../test/support/data.ts'

const WARM_UP = 16

/** Random choices, the same for the same seed. */
export class Chance {
  readonly #next: () => number

  /** @param seed - an integer from 1 to 2^31 - 1 */
  constructor (seed: number) {
    this.#next = random(seed)

    // after a small seed, the first numbers are small too
    for (let i = 0; i < WARM_UP; i++) {
      this.#next()
    }
  }

  /** From 0 up to, but not including, 1. */
  part (): number {
    return this.#next() / 2 ** 24
  }

  below (limit: number): number {
    return Math.floor(this.part() * limit)
  }

  pick<T> (values: readonly T[]): T {
    return values[this.below(values.length)]
  }

  /** From one to `most` of the values, in random order. */
  some<T> (values: readonly T[], most: number): T[] {
    const left = [...values]
    const count = 1 + this.below(Math.min(most, values.length))

    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0])
  }
}
