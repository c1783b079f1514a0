import { random } from '../../test/support/data.ts'

const WARM_UP = 16

/** Choices that are the same every time for one seed. */
export class Chance {
  readonly #next: () => number

  /** @param seed - an integer from 1 to 2^31 - 1 */
  constructor (seed: number) {
    this.#next = random(seed)

    // the first numbers are small where the seed is
    for (let i = 0; i < WARM_UP; i++) {
      this.#next()
    }
  }

  /** From 0 to 1, without 1. */
  part (): number {
    return this.#next() / 2 ** 24
  }

  below (limit: number): number {
    return Math.floor(this.part() * limit)
  }

  pick<T> (values: readonly T[]): T {
    return values[this.below(values.length)]
  }

  /** Some of the values, one at least, in random order. */
  some<T> (values: readonly T[], most: number): T[] {
    const left = [...values]
    const count = 1 + this.below(Math.min(most, values.length))

    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0])
  }
}
