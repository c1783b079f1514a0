/** Random numbers from a seed (mulberry32). */
export class Random {
  #state: number

  constructor (seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 to 1. */
  next (): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0
    let t = Math.imul(this.#state ^ this.#state >>> 15, this.#state | 1)
    t ^= t + Math.imul(t ^ t >>> 7, t | 61)

    return ((t ^ t >>> 14) >>> 0) / 2 ** 32
  }

  /** 0 to n - 1. */
  below (n: number): number {
    return Math.floor(this.next() * n)
  }

  chance (probability: number): boolean {
    return this.next() < probability
  }

  pick<T> (values: readonly T[]): T {
    return values[this.below(values.length)]
  }

  some<T> (values: readonly T[], max: number): T[] {
    return Array.from({ length: 1 + this.below(max) }, () => this.pick(values))
  }
}
