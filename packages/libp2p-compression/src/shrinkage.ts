import { MAX_TRIAL_INTERVAL, MAX_WORTHWHILE_RATIO, MEASURED_BYTES, MIN_TRIAL_INTERVAL } from './constants.ts'

/**
 * Whether it is worth compressing what goes in one direction: measured on the last
 * bytes that were compressed, and where they did not shrink, tried again on one frame
 * now and then, more and more rarely.
 */
export class Shrinkage {
  #storing = false
  #original = 0
  #compressed = 0
  #stored = 0
  #interval = MIN_TRIAL_INTERVAL

  get worthwhile (): boolean {
    return !this.#storing || this.#stored >= this.#interval
  }

  countStored (size: number): void {
    this.#stored += size
  }

  countCompressed (size: number, compressed: number): void {
    if (this.#storing) {
      this.#countTrial(compressed <= size * MAX_WORTHWHILE_RATIO)
      return
    }

    this.#original += size
    this.#compressed += compressed

    if (this.#original >= MEASURED_BYTES) {
      this.#storing = this.#compressed > this.#original * MAX_WORTHWHILE_RATIO
      this.#reset()
    }
  }

  #countTrial (shrinks: boolean): void {
    this.#storing = !shrinks
    this.#interval = shrinks ? MIN_TRIAL_INTERVAL : Math.min(2 * this.#interval, MAX_TRIAL_INTERVAL)
    this.#reset()
  }

  #reset (): void {
    this.#original = 0
    this.#compressed = 0
    this.#stored = 0
  }
}
